import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Draft, draftOf } from '../form/draft.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Asked, Failed } from '../parts/page.tsx';
import { api } from '../queries.ts';
import { headersText } from './changes-words.ts';
import { ConflictBox } from './conflict.tsx';
import { changedFields, conflictsOf, FIELD_NAMES, type Field, fieldText } from './merge.ts';
import { type Restoring, useRestore } from './use-restore.ts';

/** Asks before a schedule becomes what it was, and shows what that changes. */
export function RestoreDialog({
  id,
  version,
  onClose,
}: {
  id: string;
  version: number;
  onClose: () => void;
}) {
  const loaded = useQuery({
    queryKey: ['versions', id, 'restore', version],
    // Of one moment, so that a conflict is told from here on.
    queryFn: async (): Promise<Restoring> => {
      const [was, seen] = await Promise.all([
        api.getVersion(id, version),
        api.getTaggedSchedule(id),
      ]);
      return { was, seen };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <Dialog opened title={`Restore version ${version}?`} onClose={onClose}>
      <Asked query={loaded} height={120}>
        {restoring => <Restore restoring={restoring} onClose={onClose} />}
      </Asked>
    </Dialog>
  );
}

function Restore({ restoring, onClose }: { restoring: Restoring; onClose: () => void }) {
  const { was, seen } = restoring;
  const { restore, newest, tries } = useRestore(restoring, onClose);
  const [base, mine] = [draftOf(seen.schedule), draftOf(was)];
  const theirs = newest && draftOf(newest.schedule);
  const conflicts = theirs ? conflictsOf(base, mine, theirs) : [];
  const fields = changedFields(base, mine);
  const isStatusChanged = was.status !== seen.schedule.status;
  return (
    <Stack>
      {fields.length === 0 && !isStatusChanged ? (
        <Text size="sm">It is the same as the present version: there is nothing to restore.</Text>
      ) : (
        <ul className="changes-list">
          {isStatusChanged && (
            <li>
              Status: <del>{seen.schedule.status}</del> <span aria-hidden>→</span>{' '}
              <ins>{was.status}</ins>
            </li>
          )}
          {fields.map(field => (
            <li key={field} className="wrap">
              {FIELD_NAMES[field]}: <Difference field={field} base={base} mine={mine} />
            </li>
          ))}
        </ul>
      )}
      {theirs && conflicts.length > 0 && (
        <ConflictBox
          conflicts={conflicts}
          base={base}
          mine={mine}
          theirs={theirs}
          askedAgain={tries}
          onResolved={taken => restore.mutate({ taken })}
        />
      )}
      {restore.error && conflicts.length === 0 && <Failed error={restore.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          loading={restore.isPending}
          disabled={conflicts.length > 0 || (fields.length === 0 && !isStatusChanged)}
          onClick={() => restore.mutate({ taken: [] })}
        >
          Restore
        </Button>
      </Group>
    </Stack>
  );
}

/** Of a value that is hidden only the name is told. */
function Difference({ field, base, mine }: { field: Field; base: Draft; mine: Draft }) {
  const [was, is] = [fieldText(base, field), fieldText(mine, field)];
  if (field === 'headers' || (field === 'data' && was === is)) {
    return headersText(base[field], mine[field]);
  }
  return (
    <>
      <del>{was}</del> <span aria-hidden>→</span> <ins>{is}</ins>
    </>
  );
}
