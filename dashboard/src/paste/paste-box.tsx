import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { lazy, useState } from 'react';
import { OnItsWay, WHY_NOT_LOADED } from '../parts/on-its-way.tsx';
import type { CrontabLine } from './crontab.ts';
import type { Pasted, PastedRequest } from './paste.ts';

const CrontabBox = lazy(async () => ({
  default: (await import('./crontab-box.tsx')).CrontabBox,
}));

type Told = { problem: string } | { notes: string[] } | null;

/** @returns null for a text to edit: one of no form, which nobody asked to read */
async function pastedOf(text: string, isAsked: boolean): Promise<Pasted | null> {
  const { formOfPaste, readPaste } = await import('./paste.ts');
  return isAsked || formOfPaste(text) !== null ? readPaste(text) : null;
}

/**
 * Fills the form in from a request in any form, and makes schedules of a whole crontab. The parsers come when they are
 * asked for.
 */
export function PasteBox({ onRead }: { onRead: (pasted: PastedRequest) => void }) {
  const [text, setText] = useState('');
  const [told, setTold] = useState<Told>(null);
  const [crontab, setCrontab] = useState<CrontabLine[] | null>(null);
  const read = async (pastedText: string, isAsked: boolean) => {
    const pasted = await pastedOf(pastedText, isAsked).catch(() => ({ problem: WHY_NOT_LOADED }));
    if (pasted === null) return;
    if ('problem' in pasted) return setTold({ problem: pasted.problem });
    if ('crontab' in pasted) return setCrontab(pasted.crontab);
    onRead(pasted);
    setTold({ notes: pasted.fields.notes });
  };
  if (crontab !== null) {
    return (
      <OnItsWay>
        <CrontabBox lines={crontab} onClose={() => setCrontab(null)} />
      </OnItsWay>
    );
  }
  return (
    <Stack gap="xs">
      <Textarea
        label="Paste a request to fill this in"
        description="A cURL or wget command, a fetch() call, an HTTP request, a url, a line of a crontab, or a whole crontab."
        placeholder="curl -X POST https://example.com/hook -H 'X-Token: …' -d '{…}'"
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        value={text}
        error={told && 'problem' in told && `This cannot be read. ${told.problem}`}
        onChange={event => {
          setText(event.currentTarget.value);
          setTold(null);
        }}
        onPaste={event => {
          if (text === '') void read(event.clipboardData.getData('text'), false);
        }}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      />
      <Group gap="sm">
        <Button
          size="xs"
          variant="default"
          disabled={text.trim() === ''}
          onClick={() => void read(text, true)}
        >
          Fill in
        </Button>
        {told && 'notes' in told && (
          <Text size="sm" className="status tone-ok" role="status">
            The form is filled in.
          </Text>
        )}
      </Group>
      {told && 'notes' in told && told.notes.length > 0 && (
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
