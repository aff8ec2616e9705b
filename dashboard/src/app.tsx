import { Alert, Button, Center, Loader, Stack, Text } from '@mantine/core';
import type { Session } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { useLive } from './live.ts';
import { Overview } from './pages/overview.tsx';
import { Frame } from './parts/frame.tsx';
import { SessionEnded, SignIn } from './parts/sign-in.tsx';
import { api, isSignedOut, sentenceOf } from './queries.ts';

const Schedules = lazy(async () => ({
  default: (await import('./pages/schedules.tsx')).Schedules,
}));
const ScheduleForm = lazy(async () => ({
  default: (await import('./pages/schedule-form.tsx')).ScheduleForm,
}));
const OneSchedule = lazy(async () => ({
  default: (await import('./pages/schedule.tsx')).OneSchedule,
}));
const Runs = lazy(async () => ({ default: (await import('./pages/runs.tsx')).Runs }));
const Forecast = lazy(async () => ({ default: (await import('./pages/forecast.tsx')).Forecast }));
const Keys = lazy(async () => ({ default: (await import('./pages/keys.tsx')).Keys }));

export function App() {
  const session = useQuery({
    queryKey: ['session'],
    queryFn: beginOrGetSession,
    retry: (_failures, error) => !isSignedOut(error),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (session.data !== undefined) {
    return (
      <Inside clientName={session.data.clientName}>
        <Pages />
      </Inside>
    );
  }
  if (isSignedOut(session.error)) return <SignIn />;
  return <Waiting sentence={session.failureCount > 1 ? sentenceOf(session.failureReason) : null} />;
}

/** A link of `punctual dev` signs in once; its token does not stay in the address. */
async function beginOrGetSession(): Promise<Session> {
  const [, token] = /^#sign-in=(.+)$/.exec(location.hash) ?? [];
  if (token === undefined) return api.getSession();
  history.replaceState(null, '', '/');
  // If the link was used before, its session may still exist.
  return api.signInOnce(token).catch(() => api.getSession());
}

function Inside({ clientName, children }: { clientName: string; children: React.ReactNode }) {
  useLive();
  return (
    <>
      <Frame clientName={clientName}>{children}</Frame>
      <SessionEnded />
    </>
  );
}

function Pages() {
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path="/" component={Overview} />
        <Route path="/schedules" component={Schedules} />
        <Route path="/schedules/new">
          <ScheduleForm key="new" id={null} />
        </Route>
        <Route path="/schedules/:id/edit">{({ id }) => <ScheduleForm key={id} id={id} />}</Route>
        <Route path="/schedules/:id">{({ id }) => <OneSchedule key={id} id={id} />}</Route>
        <Route path="/runs" component={Runs} />
        <Route path="/forecast" component={Forecast} />
        <Route path="/keys" component={Keys} />
      </Switch>
    </Suspense>
  );
}

function Loading() {
  return (
    <Center mih={240}>
      <Loader aria-label="Loading" />
    </Center>
  );
}

function Waiting({ sentence }: { sentence: string | null }) {
  return (
    <Center mih="100vh" component="main">
      {sentence === null ? (
        <Loader aria-label="Loading" />
      ) : (
        <Stack align="center" maw={420} p="md">
          <Alert color="orange" title="No connection">
            <Text size="sm">{sentence} The page goes on by itself as soon as it answers.</Text>
          </Alert>
          <Button variant="default" onClick={() => location.reload()}>
            Try now
          </Button>
        </Stack>
      )}
    </Center>
  );
}
