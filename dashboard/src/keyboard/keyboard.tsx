import { VisuallyHidden } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useDelete, useRunNow, useSetStatus } from '../change/actions.ts';
import { knownSchedules } from '../change/optimistic.ts';
import { undoLast } from '../change/undo.ts';
import { Dialog } from '../parts/dialog.tsx';
import { flagOf, useFlag } from '../parts/flag.ts';
import { NotShown, OnItsWay } from '../parts/on-its-way.tsx';
import { api, sentenceOf } from '../queries.ts';
import { pathOf } from '../root.ts';
import { nameOf } from '../schedule/schedule-name.ts';
import { canPick, hasRows, moveToRow, pickRow, scheduleInHand } from './rows-by-key.ts';
import { useShortcuts } from './shortcuts.ts';

const loadPalette = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const ShortcutHelp = lazy(async () => ({
  default: (await import('./shortcut-help.tsx')).ShortcutHelp,
}));

/** The dialog over the page, and the schedule that was in hand when it was opened. */
const opened = flagOf<{ dialog: 'palette' | 'help'; scheduleId: string | null } | null>(null);

export function openPalette(): void {
  opened.set({ dialog: 'palette', scheduleId: scheduleInHand() });
}

export function openHelp(): void {
  opened.set({ dialog: 'help', scheduleId: null });
}

const DIALOGS = { palette: 'Go to anything', help: 'Keys' };

const ROWS = 'In a list';
const ONE = 'On a schedule, or on a row of a list';

/** The keys that work on every page, and the two dialogs that belong to them. */
export function Keyboard() {
  const open = useFlag(opened);
  const [said, setSaid] = useState('');
  useEverywhere();
  useRows(setSaid);
  useInHand(open?.scheduleId ?? null, setSaid);
  const close = () => opened.set(null);
  useEffect(() => {
    // It is on its way while the other key of the two is still to be pressed.
    const foresee = ({ key }: KeyboardEvent) => {
      if (key === 'Control' || key === 'Meta') void loadPalette().catch(() => {});
    };
    addEventListener('keydown', foresee);
    return () => removeEventListener('keydown', foresee);
  }, []);
  return (
    <>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      {open !== null && (
        <OnItsWay
          failed={
            <Dialog opened title={DIALOGS[open.dialog]} onClose={close}>
              <NotShown />
            </Dialog>
          }
        >
          {open.dialog === 'palette' ? (
            <Palette onClose={close} />
          ) : (
            <ShortcutHelp onClose={close} />
          )}
        </OnItsWay>
      )}
    </>
  );
}

function useEverywhere(): void {
  const [, go] = useLocation();
  const where = 'Everywhere';
  useShortcuts([
    { key: 'mod+k', name: 'Go to anything', where, run: openPalette },
    { key: '/', name: 'Search', where, run: search },
    {
      key: 'n',
      name: 'New schedule',
      where,
      words: 'create make',
      run: () => go('/schedules/new'),
    },
    { key: 'mod+z', name: 'Undo the last change', where, run: undoLast },
    { key: '?', name: 'Show all keys', where, words: 'shortcuts help', run: openHelp },
  ]);
}

/** To the search of the page; a page without one has the palette. */
function search(): void {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  if (field === null) openPalette();
  else field.focus();
}

function useRows(say: (text: string) => void): void {
  const where = ROWS;
  const pick = () => {
    const text = pickRow();
    if (text !== null) say(text);
  };
  useShortcuts([
    { key: 'j', name: 'Next row', where, isHere: hasRows, run: () => moveToRow(1) },
    { key: 'k', name: 'Row before', where, isHere: hasRows, run: () => moveToRow(-1) },
    { key: 'x', name: 'Pick this row, or not', where, isHere: canPick, run: pick },
  ]);
}

/** @param kept the id of the schedule that was in hand before a dialog took the focus */
function useInHand(kept: string | null, say: (text: string) => void): void {
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [pause, resume] = [useSetStatus('disabled'), useSetStatus('enabled')];
  const [runNow, remove] = [useRunNow(), useDelete()];
  const inHand = () => kept ?? scheduleInHand();
  const withOne = (act: (id: string) => void) => () => {
    const id = inHand();
    if (id !== null) act(id);
  };
  const turn = async (id: string) => {
    try {
      const schedule = knownSchedules(queries).get(id) ?? (await api.getSchedule(id));
      say(nameOf(schedule));
      if (schedule.status === 'enabled') pause.mutate([id]);
      else resume.mutate([id]);
    } catch (error) {
      say(sentenceOf(error));
    }
  };
  const [where, isHere] = [ONE, () => inHand() !== null];
  useShortcuts([
    { key: 'p', name: 'Pause or resume', where, isHere, run: withOne(id => void turn(id)) },
    { key: 'r', name: 'Run now', where, isHere, run: withOne(id => runNow.mutate([id])) },
    { key: 'e', name: 'Edit', where, isHere, run: withOne(id => go(`/schedules/${id}/edit`)) },
    {
      ...{ name: 'Clone', where, isHere },
      run: withOne(id => go(`/schedules/new?from=${id}`)),
    },
    {
      ...{ name: 'Delete', where, isHere },
      run: withOne(id => {
        remove.mutate([id]);
        if (pathOf(location).startsWith(`/schedules/${id}`)) go('/schedules');
      }),
    },
  ]);
}
