import {
  Button,
  Code,
  CopyButton,
  Group,
  SegmentedControl,
  Stack,
  Switch,
  Text,
} from '@mantine/core';
import type { ScheduleInput } from '@punctual/client';
import { useState } from 'react';
import { BASE } from '../root.ts';
import { asCurl, asTypeScript, isCopyable, secretsOf, withoutSecrets } from './schedule-code.ts';
import { asYaml } from './schedule-yaml.ts';

const FORMS = {
  curl: { label: 'cURL', write: asCurl, about: 'Set CLIENT_ID and API_KEY in the shell first.' },
  typescript: {
    label: 'TypeScript',
    write: asTypeScript,
    about: 'It needs the package @punctual/client, and CLIENT_ID and API_KEY in the environment.',
  },
  yaml: { label: 'YAML', write: asYaml, about: 'The fields as the API takes them.' },
} as const;
type Form = keyof typeof FORMS;

/** A schedule as text that makes it again. */
export function ScheduleCode({ input }: { input: ScheduleInput }) {
  const [form, setForm] = useState<Form>('curl');
  const [isPlain, setPlain] = useState(false);
  const { label, write, about } = FORMS[form];
  const secrets = secretsOf(input);
  const code = write(isPlain ? input : withoutSecrets(input), location.origin + BASE);
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <SegmentedControl
          aria-label="Show as"
          size="xs"
          data={Object.entries(FORMS).map(([value, each]) => ({ value, label: each.label }))}
          value={form}
          onChange={value => setForm(value as Form)}
        />
        <CopyButton value={code}>
          {({ copied, copy }) => (
            <Button
              size="xs"
              variant="default"
              disabled={!isCopyable(input, isPlain)}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Text size="sm" className="muted">
        {about}
      </Text>
      {secrets.length > 0 && (
        <Switch
          label={`Show secret values: ${secrets.join(', ')}`}
          description={
            isPlain
              ? undefined
              : 'Dots stand in their place, so it cannot be copied until you show them.'
          }
          checked={isPlain}
          onChange={event => setPlain(event.currentTarget.checked)}
        />
      )}
      <Code
        block
        mah="60vh"
        tabIndex={0}
        role="region"
        aria-label={`The schedule as ${label}`}
        style={{ overflow: 'auto' }}
      >
        {code}
      </Code>
    </Stack>
  );
}
