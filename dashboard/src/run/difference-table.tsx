import { Stack, Text, Title } from '@mantine/core';
import type { Run } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { api } from '../queries.ts';
import { isSecretName } from '../schedule/secret-names.ts';
import { SecretValue } from '../schedule/secret-value.tsx';
import { fullTime } from '../time/times.ts';
import { type Difference, differencesOf } from './run-difference.ts';

/** The differences from the last run that succeeded. */
export function RunDifference({ run }: { run: Run }) {
  const compared = useQuery({
    queryKey: ['run', run.id, 'difference'],
    queryFn: () => compare(run),
  });
  const { data } = compared;
  if (data === undefined) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Compared with the last success">
      <Title order={3} size="h5">
        Compared with the last success
      </Title>
      {data === null ? (
        <Text size="sm" className="muted">
          No run before it that succeeded is on record.
        </Text>
      ) : (
        <>
          <Text size="sm" className="muted">
            The run of {fullTime(data.scheduledFor)}
            {data.differences.length === 0 && ' sent the same and was answered the same'}.
          </Text>
          {data.differences.length > 0 && <Differences differences={data.differences} />}
        </>
      )}
    </Stack>
  );
}

function Differences({ differences }: { differences: Difference[] }) {
  return (
    <table className="difference" aria-label="Differences">
      <thead>
        <tr>
          <th scope="col">Differs</th>
          <th scope="col">Then</th>
          <th scope="col">In this run</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ name, before, after }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <Value name={`${name} then`} value={before} />
            <Value name={`${name} in this run`} value={after} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ name, value }: { name: string; value: string }) {
  const isHidden = isSecretName(name.replace(/ (?:then|in this run)$/, ''));
  return <td className="wrap">{isHidden ? <SecretValue name={name} value={value} /> : value}</td>;
}

/** @returns null where no run before it succeeded */
async function compare(run: Run) {
  const { items } = await api.listRuns({
    scheduleId: run.scheduleId,
    status: 'succeeded',
    to: run.scheduledFor,
    limit: 1,
  });
  const [found] = items;
  if (found === undefined) return null;
  const [good, goodRequest, request] = await Promise.all([
    api.getRun(found.id),
    api.getRunRequest(found.id),
    api.getRunRequest(run.id),
  ]);
  const differences = differencesOf({ run: good, request: goodRequest }, { run, request });
  return { scheduledFor: good.scheduledFor, differences };
}
