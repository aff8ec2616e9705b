import {
  Button,
  FileButton,
  Group,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { Calendar } from '@punctual/client';
import { type FieldsProps, MONOSPACE, NameField, textsOf } from '../inputs/form-fields.tsx';
import type { CalendarDraft, SourceKind } from './calendar-draft.ts';
import { Periods } from './periods.tsx';

const KINDS: { value: SourceKind; label: string }[] = [
  { value: 'periods', label: 'Days and times' },
  { value: 'ics', label: 'ICS text' },
  { value: 'url', label: 'Url' },
];

/** The name of a calendar, and one of its three sources. */
export function CalendarFields(props: FieldsProps<CalendarDraft, Calendar>) {
  const { draft, stored, set, errorOf } = props;
  const text = textsOf(props);
  return (
    <Stack gap="md">
      {stored === null && <NameField {...text('name')} />}
      <SegmentedControl
        aria-label="Source"
        data={KINDS}
        value={draft.kind}
        onChange={value => set({ kind: value as SourceKind })}
        style={{ alignSelf: 'start' }}
      />
      {stored !== null && draft.kind !== 'url' && (
        <Text size="sm" className="muted">
          {draft.kind === 'periods'
            ? 'These days and times have not passed. Saving replaces the whole calendar with them.'
            : 'The stored text is not shown again. Saving replaces the whole calendar.'}
        </Text>
      )}
      {draft.kind === 'periods' && (
        <Periods
          periods={draft.periods}
          errorOf={index => errorOf(`periods[${index}]`)}
          onChange={periods => set({ periods })}
        />
      )}
      {draft.kind === 'ics' && <IcsField {...props} />}
      {draft.kind === 'url' && (
        <TextInput
          label="Url"
          description="Of a calendar in ICS. It is read now, and again each day."
          type="url"
          required
          placeholder="https://example.com/holidays.ics"
          spellCheck={false}
          {...text('url')}
        />
      )}
    </Stack>
  );
}

function IcsField(props: FieldsProps<CalendarDraft, Calendar>) {
  return (
    <Stack gap="xs">
      <Textarea
        label="ICS text"
        description="RFC 5545, up to 1 MiB. Repeated events count from a year back to five years ahead."
        placeholder={'BEGIN:VCALENDAR\n…'}
        required
        autosize
        minRows={6}
        maxRows={18}
        spellCheck={false}
        {...textsOf(props)('ics')}
        styles={MONOSPACE}
      />
      <Group>
        <FileButton
          accept=".ics,text/calendar"
          onChange={file => file && void file.text().then(ics => props.set({ ics }))}
        >
          {button => (
            <Button {...button} size="xs" variant="default">
              Read a file
            </Button>
          )}
        </FileButton>
      </Group>
    </Stack>
  );
}
