import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { CurlFields } from '../curl.ts';

/** Fills the form in from a cURL command. The parser comes when it is asked for. */
export function CurlBox({ onRead }: { onRead: (fields: CurlFields) => void }) {
  const [command, setCommand] = useState('');
  const [told, setTold] = useState<{ problem?: string; notes?: string[] }>({});
  const read = async (text: string) => {
    const { readCurl } = await import('../curl.ts');
    const result = readCurl(text);
    if ('problem' in result) return setTold({ problem: result.problem });
    onRead(result.fields);
    setTold({ notes: result.fields.notes });
  };
  return (
    <Stack gap="xs">
      <Textarea
        label="Paste a cURL command to fill this in"
        placeholder="curl -X POST https://example.com/hook -H 'X-Token: …' -d '{…}'"
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        value={command}
        error={told.problem && `This cURL command cannot be read. ${told.problem}`}
        onChange={event => setCommand(event.currentTarget.value)}
        onPaste={event => {
          const text = event.clipboardData.getData('text');
          if (command === '' && /^\s*\$?\s*curl\s/.test(text)) void read(text);
        }}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      />
      <Group gap="sm">
        <Button
          size="xs"
          variant="default"
          disabled={command.trim() === ''}
          onClick={() => void read(command)}
        >
          Fill in
        </Button>
        {told.notes && (
          <Text size="sm" className="status tone-ok" role="status">
            The form is filled in.
          </Text>
        )}
      </Group>
      {told.notes && told.notes.length > 0 && (
        <Alert variant="outline" color="orange">
          {told.notes.map(note => (
            <Text key={note} size="sm" className="wrap">
              {note}
            </Text>
          ))}
        </Alert>
      )}
    </Stack>
  );
}
