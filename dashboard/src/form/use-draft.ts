import type { TaggedSchedule } from '@punctual/client';
import { useState } from 'react';
import { useClientId } from '../session.ts';
import { completeDraft, type Draft, draftOf } from './draft.ts';
import { keepDraft, keptDraft } from './kept-drafts.ts';

/**
 * The contents of the form, saved with each keystroke.
 *
 * @param id of the schedule that is edited; null: of a new one
 * @param start what the form begins with
 */
export function useDraft(id: string | null, start: Draft, stored: TaggedSchedule | undefined) {
  const clientId = useClientId();
  const [kept] = useState(() => keptDraft(clientId, id));
  const begun = stored && draftOf(stored.schedule);
  const [draft, setDraft] = useState(
    kept === null ? start : completeDraft(kept.draft, start.timezone),
  );
  const [base, setBase] = useState<Draft | undefined>(
    kept?.base === undefined ? begun : completeDraft(kept.base, start.timezone),
  );
  const [isKept, setIsKept] = useState(kept !== null);
  const rebase = (next: Draft, nextBase: Draft | undefined) => {
    setDraft(next);
    setBase(nextBase);
    keepDraft(clientId, id, { draft: next, ...(nextBase && { base: nextBase }) });
  };
  return {
    draft,
    base,
    isKept,
    set: (change: Partial<Draft>) => rebase({ ...draft, ...change }, base),
    rebase,
    /** Shows what is stored by now; nothing is kept, since nothing was typed. */
    adopt(theirs: Draft) {
      setDraft(theirs);
      setBase(theirs);
    },
    forget: () => keepDraft(clientId, id, null),
    beginAnew() {
      setDraft(begun ?? start);
      setBase(begun);
      setIsKept(false);
      keepDraft(clientId, id, null);
    },
    closeNote: () => setIsKept(false),
  };
}
