import { Button, Checkbox, Code, Group, Select, Stack, Text, VisuallyHidden } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Failed } from '../parts/page.tsx';
import { api, sentenceOf } from '../queries.ts';
import { withMarks } from '../schedule/schedule-name.ts';
import { READER_ZONE } from '../time/times.ts';
import type { CrontabLine } from './crontab.ts';
import { inputOfLine, MOST_LINES, refusedItem } from './crontab-inputs.ts';

/** A whole crontab as a table to check, then as one batch of schedules. */
export function CrontabBox({ lines, onClose }: { lines: CrontabLine[]; onClose: () => void }) {
  const [, go] = useLocation();
  const queries = useQueryClient();
  const [timezone, setTimezone] = useState(READER_ZONE);
  const words = useLineWords(lines);
  const problemOf = (line: CrontabLine) => line.problem ?? words.get(line.interval)?.problem;
  const usable = lines.filter(line => problemOf(line) === undefined).slice(0, MOST_LINES);
  const [left, setLeft] = useState(new Set<number>());
  const picked = usable.filter(({ number }) => !left.has(number));
  const create = useMutation({
    mutationFn: () => api.createSchedules(picked.map(line => inputOfLine(line, timezone)!)),
    onSuccess: ({ items }) => {
      notifications.show({ message: `${many(items.length)} created.`, color: 'green' });
      void queries.invalidateQueries();
      go('/schedules');
    },
  });
  const refused = create.error && refusedItem(sentenceOf(create.error));
  const refusedLine = refused ? picked[refused.index] : undefined;
  const toggle = (number: number, isPicked: boolean) => {
    create.reset();
    const next = new Set(left);
    if (isPicked) next.delete(number);
    else next.add(number);
    setLeft(next);
  };
  return (
    <Stack gap="sm">
      <Text fw={600}>
        A crontab of {lines.length} lines: {usable.length} can become schedules
      </Text>
      {lines.some(line => line.timezone === null) && (
        <ZoneOfLines timezone={timezone} onChange={setTimezone} />
      )}
      <table className="rows" aria-label="Lines of the crontab">
        <thead>
          <tr>
            <th>
              <VisuallyHidden>Create</VisuallyHidden>
            </th>
            <th>Line</th>
            <th>Interval</th>
            <th>Request</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(line => (
            <Row
              key={line.number}
              line={line}
              timezone={line.timezone ?? timezone}
              words={words.get(line.interval)?.words}
              problem={line === refusedLine ? refused!.sentence : problemOf(line)}
              isPicked={picked.includes(line)}
              isPickable={usable.includes(line)}
              onPick={isPicked => toggle(line.number, isPicked)}
            />
          ))}
        </tbody>
      </table>
      {create.error && <Failed error={create.error} />}
      <Group gap="sm">
        <Button
          loading={create.isPending}
          disabled={picked.length === 0}
          onClick={() => create.mutate()}
        >
          Create {many(picked.length)}
        </Button>
        <Button variant="default" onClick={onClose}>
          Paste something else
        </Button>
      </Group>
    </Stack>
  );
}

function many(count: number): string {
  return count === 1 ? '1 schedule' : `${count} schedules`;
}

/** Each interval in words, or why it is none. */
function useLineWords(lines: CrontabLine[]) {
  const intervals = [...new Set(lines.map(({ interval }) => interval))].filter(text => text !== '');
  const answers = useQueries({
    queries: intervals.map(interval => ({
      queryKey: ['words', interval],
      queryFn: async () => (await api.intervalWords({ intervals: [interval] })).items[0]!.words,
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  return new Map(
    intervals.map((interval, index) => {
      const { data, error } = answers[index]!;
      return [
        interval,
        {
          words: data,
          problem: error ? sentenceOf(error).replace(/^intervals\[0\]: /, '') : undefined,
        },
      ];
    }),
  );
}

function ZoneOfLines({
  timezone,
  onChange,
}: {
  timezone: string;
  onChange: (timezone: string) => void;
}) {
  const zones = useQuery({
    queryKey: ['timezones'],
    queryFn: () => api.listTimezones(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Select
      label="Time zone"
      description="Of lines without CRON_TZ: the time zone of the machine that the crontab is from."
      searchable
      limit={80}
      data={zones.data ?? [timezone]}
      value={timezone}
      allowDeselect={false}
      nothingFoundMessage="No time zone of this name"
      onChange={value => value !== null && onChange(value)}
      maw={420}
    />
  );
}

function Row({
  line,
  timezone,
  words,
  problem,
  isPicked,
  isPickable,
  onPick,
}: {
  line: CrontabLine;
  timezone: string;
  words: string | undefined;
  problem: string | undefined;
  isPicked: boolean;
  isPickable: boolean;
  onPick: (isPicked: boolean) => void;
}) {
  const { number, interval, label, fields, text } = line;
  return (
    <tr data-selected={isPicked || undefined}>
      <td className="pick">
        <Checkbox
          aria-label={`Create a schedule of line ${number}`}
          checked={isPicked}
          disabled={!isPickable}
          onChange={event => onPick(event.currentTarget.checked)}
        />
      </td>
      <td className="numbers" data-label="Line">
        <Text size="sm" span>
          {number}
        </Text>
      </td>
      <td style={{ minWidth: 190 }}>
        {interval !== '' && <Code style={{ whiteSpace: 'nowrap' }}>{interval}</Code>}
        <Text size="xs" className="muted">
          {words}
          {words && `, ${timezone}`}
        </Text>
      </td>
      <td className="grow">
        <Text size="sm" className="clip" title={text}>
          {fields ? label || `${fields.verb} ${withMarks(fields.url)}` : text}
        </Text>
        {fields && label !== '' && (
          <Text size="xs" className="muted clip" title={fields.url}>
            {fields.verb} {withMarks(fields.url)}
          </Text>
        )}
        {problem && (
          <Text size="sm" className="status tone-bad wrap">
            {problem}
          </Text>
        )}
        {fields?.notes.map(note => (
          <Text key={note} size="xs" className="muted wrap">
            {note}
          </Text>
        ))}
      </td>
    </tr>
  );
}
