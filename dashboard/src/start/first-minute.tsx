import { Button, CloseButton, Group, Text } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useDelete } from '../change/actions.ts';
import { api } from '../queries.ts';
import { useClientId, usePageSession } from '../session.ts';
import {
  areStepsHidden,
  areStepsOpen,
  askAgainMs,
  type FirstStep,
  firstSteps,
  hideSteps,
  type StepFacts,
} from './first-steps.ts';
import { SHOW_ME_TAG, shownSamples } from './show-me.ts';

/** One more than a new installation has, and its samples. */
const MOST_READ = 20;

/** Above the list of schedules, as long as somebody is new here: the first steps, and the samples of *Show me*. */
export function FirstMinute() {
  return (
    <>
      <FirstSteps />
      <Samples />
    </>
  );
}

function FirstSteps() {
  const clientId = useClientId();
  const [isHidden, setHidden] = useState(() => areStepsHidden(clientId));
  const facts = useStepFacts(!isHidden);
  if (isHidden || facts === undefined) return null;
  const steps = firstSteps(facts);
  if (!areStepsOpen(steps, facts)) return null;
  const hide = () => {
    hideSteps(clientId);
    focusPage();
    setHidden(true);
  };
  return (
    <section className="card first-steps" aria-label="First steps">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text fw={600} size="sm">
          First steps{' '}
          <span className="muted numbers">
            {steps.filter(({ isDone }) => isDone).length} of {steps.length}
          </span>
        </Text>
        <CloseButton size="sm" aria-label="Hide the first steps" onClick={hide} />
      </Group>
      <ul>
        {steps.map(step => (
          <Step key={step.text} step={step} />
        ))}
      </ul>
    </section>
  );
}

function Step({ step: { text, isDone, href } }: { step: FirstStep }) {
  const Icon = isDone ? IconCircleCheckFilled : IconCircle;
  return (
    <li className={isDone ? 'muted' : undefined}>
      <Link href={href} aria-label={isDone ? `${text}, done` : text}>
        <Icon size={16} aria-hidden />
        {text}
      </Link>
    </li>
  );
}

/** The element that has the focus is about to go. Without this the focus would be nowhere. */
function focusPage(): void {
  document.getElementById('content')?.focus({ preventScroll: true });
}

/** Asked again and again until nothing is left to tick. */
function useStepFacts(isAsked: boolean): StepFacts | undefined {
  const keyId = usePageSession()?.keyId ?? '';
  const { data } = useQuery({
    queryKey: ['first minute', 'steps', keyId],
    queryFn: () => askFacts(keyId),
    enabled: isAsked,
    retry: false,
    refetchInterval: ({ state: { data: last, dataUpdateCount, errorUpdateCount } }) =>
      last && !areStepsOpen(firstSteps(last), last)
        ? false
        : askAgainMs(dataUpdateCount + errorUpdateCount),
  });
  return data;
}

async function askFacts(keyId: string): Promise<StepFacts> {
  const [{ items: schedules, nextCursor }, succeeded, failed, keys] = await Promise.all([
    api.listSchedules({ limit: MOST_READ }),
    api.listRuns({ status: 'succeeded', limit: 1 }),
    api.listRuns({ status: 'failed', limit: 1 }),
    api.listKeys(),
  ]);
  return {
    schedules,
    isMore: nextCursor !== undefined,
    succeeded: succeeded.items,
    failed: failed.items,
    keys: keys.items,
    keyId,
  };
}

/** The way to undo *Show me*, as long as one of its schedules exists. */
function Samples() {
  const remove = useDelete();
  const { data } = useQuery({
    // No change of schedules asks it anew: a deletion is taken out of the answer that is here.
    queryKey: ['first minute', 'samples'],
    queryFn: () => api.listSchedules({ tag: [SHOW_ME_TAG], limit: MOST_READ }),
  });
  const samples = shownSamples(data?.items ?? []);
  if (samples.length === 0) return null;
  return (
    <Group className="card" justify="space-between" px="md" py={6} gap="xs">
      <Text size="sm">
        {samples.length === 1 ? 'One sample' : `${samples.length} samples`} of Show me in this list.
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => {
          focusPage();
          remove.mutate(samples.map(({ id }) => id));
        }}
      >
        Remove the samples
      </Button>
    </Group>
  );
}
