import { Alert, Button, Group, Progress, Text } from '@mantine/core';
import { useFlag } from '../parts/flag.ts';
import { progressText } from './resend.ts';
import { cancelResending, resending } from './resending.ts';

/** How far it is with what is sent again, on every page. */
export function Resending() {
  const progress = useFlag(resending);
  if (progress === null) return null;
  const { state, total, sent, refused } = progress;
  const notSent = [...refused.values()].reduce((sum, count) => sum + count, 0);
  const share = total === 0 ? 100 : ((sent + notSent) / total) * 100;
  return (
    <Alert
      color={notSent > 0 ? 'orange' : 'gray'}
      variant="outline"
      mb="md"
      role="region"
      aria-label="Sending again"
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" role="status" className="numbers">
          {progressText(progress)}
        </Text>
        {state === 'running' ? (
          <Button size="xs" variant="default" onClick={cancelResending}>
            Cancel the rest
          </Button>
        ) : (
          <Button size="xs" variant="default" onClick={() => resending.set(null)}>
            Close
          </Button>
        )}
      </Group>
      {state === 'running' && (
        <Progress value={share} mt="xs" aria-label="Part that is sent" size="sm" />
      )}
      {[...refused].map(([sentence, count]) => (
        <Text key={sentence} size="sm" mt={4} className="wrap">
          {count}: {sentence}
        </Text>
      ))}
    </Alert>
  );
}
