import { Combobox, Kbd, Loader, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useFlag } from '../parts/flag.ts';
import { sentenceOf } from '../queries.ts';
import { nameOf, withMarks } from '../schedule/schedule-name.ts';
import { shortTime } from '../time/times.ts';
import { findAnything } from './find-anything.ts';
import { PLACES } from './places.ts';
import { keyText, shortcuts } from './shortcuts.ts';

interface Entry {
  id: string;
  group: string;
  name: string;
  note?: string;
  key?: string | undefined;
  run: () => void;
}

/** A short pause in typing: each letter asks nothing. */
const REST_MS = 120;

/** Goes to anything by its name: pages, schedules, runs by id, and what can be done here. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const combobox = useCombobox({ opened: true, onOpenedChange: isOpen => isOpen || onClose() });
  const found = useFound(text);
  const entries = useEntries(text, found.entries);
  const groups = Map.groupBy(entries, ({ group }) => group);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another list the first one is chosen
  useEffect(() => {
    const first = combobox.selectFirstOption();
    // The library tells screen readers only where arrows have led.
    if (first === null) field.current?.removeAttribute('aria-activedescendant');
    else field.current?.setAttribute('aria-activedescendant', first);
  }, [entries.map(({ id }) => id).join()]);
  const take = (id: string) => {
    onClose();
    // After the dialog: its end gives the focus back, and the action may move it.
    setTimeout(() => entries.find(each => each.id === id)?.run());
  };
  return (
    <Modal.Root opened onClose={onClose} size="lg" yOffset="12vh" transitionProps={{ duration: 0 }}>
      <Modal.Overlay />
      <Modal.Content aria-label="Go to anything" className="palette">
        <Combobox store={combobox} onOptionSubmit={take}>
          <Combobox.EventsTarget withExpandedAttribute>
            <TextInput
              ref={field}
              data-autofocus
              // At once: the dialog would do it a moment later, and lose what is typed until then.
              autoFocus
              variant="unstyled"
              size="md"
              px="md"
              py={6}
              aria-label="Go to anything"
              placeholder="A page, a schedule, an id, or an action"
              leftSection={<IconSearch size={18} aria-hidden />}
              rightSection={
                found.isBusy ? <Loader size={16} role="status" aria-label="Searching" /> : null
              }
              value={text}
              onChange={event => setText(event.currentTarget.value)}
            />
          </Combobox.EventsTarget>
          <Combobox.Options className="palette-list" aria-label="Everything that was found">
            {Array.from(groups, ([group, these]) => (
              <Combobox.Group key={group} label={group}>
                {these.map(entry => (
                  <Option key={entry.id} entry={entry} />
                ))}
              </Combobox.Group>
            ))}
            {entries.length === 0 && (
              <Combobox.Option value="" disabled>
                {found.error ?? 'Nothing has that name.'}
              </Combobox.Option>
            )}
          </Combobox.Options>
        </Combobox>
      </Modal.Content>
    </Modal.Root>
  );
}

function Option({ entry: { id, name, note, key } }: { entry: Entry }) {
  return (
    <Combobox.Option value={id} className="palette-option">
      <span className="clip">{name}</span>
      {note && (
        <Text span size="sm" className="muted clip">
          {note}
        </Text>
      )}
      {key !== undefined && <Kbd ml="auto">{keyText(key)}</Kbd>}
    </Combobox.Option>
  );
}

/** Pages and actions whose names have all the words, and what the service has found. */
function useEntries(text: string, found: Entry[]): Entry[] {
  const [, go] = useLocation();
  const table = useFlag(shortcuts);
  const here = useMemo(() => table.filter(each => each.isHere?.() ?? true), [table]);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (name: string) => words.every(word => name.toLowerCase().includes(word));
  const pages = PLACES.filter(({ name }) => has(name)).map(({ path, name }) => ({
    ...{ id: `page ${path}`, group: 'Pages', name },
    run: () => go(path),
  }));
  const actions = here
    .filter(({ key, name, words = '' }) => key !== 'mod+k' && has(`${name} ${words}`))
    .map(({ key, name, run }) => ({ id: `action ${name}`, group: 'Here', name, key, run }));
  return [...pages, ...actions, ...found];
}

function useFound(text: string) {
  const [, go] = useLocation();
  const [rested] = useDebouncedValue(text.trim(), REST_MS);
  const { data, isFetching, error } = useQuery({
    queryKey: ['find', rested],
    queryFn: () => findAnything(rested),
    enabled: rested !== '',
    placeholderData: keepPreviousData,
  });
  const isOld = rested === '' || text.trim() === '';
  const schedules = (isOld ? [] : (data?.schedules ?? [])).map(schedule => ({
    ...{ id: `schedule ${schedule.id}`, group: 'Schedules', name: nameOf(schedule) },
    note: withMarks(schedule.url),
    run: () => go(`/schedules/${schedule.id}`),
  }));
  const runs = (isOld ? [] : (data?.runs ?? [])).map(run => ({
    ...{ id: `run ${run.id}`, group: 'Runs', name: `The run of ${shortTime(run.scheduledFor)}` },
    note: run.status,
    run: () => go(`/runs?run=${run.id}`),
  }));
  return {
    entries: [...schedules, ...runs],
    isBusy: isFetching || rested !== text.trim(),
    error: error === null ? null : sentenceOf(error),
  };
}
