import { useState } from 'react';
import { type Draft, draftOf } from './draft.ts';
import { type Base, keepDraft, keptDraft } from './kept-drafts.ts';
import { useClientId } from './session.ts';
import { etagOf, type Stored } from './stored.ts';

/**
 * What stands in the form, kept with each letter.
 *
 * @param id of the schedule that is edited; null: of a new one
 * @param start what the form begins with
 */
export function useDraft(id: string | null, start: Draft, stored: Stored | undefined) {
  const clientId = useClientId();
  const [kept] = useState(() => keptDraft(clientId, id));
  const begun = stored && { draft: draftOf(stored.schedule), ...etagOf(stored) };
  const [draft, setDraft] = useState(kept?.draft ?? start);
  const [base, setBase] = useState<Base | undefined>(kept?.base ?? begun);
  const [isKept, setIsKept] = useState(kept !== null);
  const rebase = (next: Draft, nextBase: Base | undefined) => {
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
    forget: () => keepDraft(clientId, id, null),
    beginAnew() {
      setDraft(begun?.draft ?? start);
      setBase(begun);
      setIsKept(false);
      keepDraft(clientId, id, null);
    },
    closeNote: () => setIsKept(false),
  };
}
