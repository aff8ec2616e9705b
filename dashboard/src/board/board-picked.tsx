import { Button, Group, Text } from '@mantine/core';
import type { ScheduleQuery, Total } from '@punctual/client';
import { useDelete, useSetStatus } from '../change/actions.ts';
import { SnoozeMenu } from '../change/snooze-menu.tsx';
import { useBulk } from './board-bulk.tsx';
import { totalText } from './health-words.ts';

/** The picked schedules: some by their ids, or all that match the filter. */
export interface Picked {
  ids: string[];
  /** All that match are picked, and not only those on the pages that were seen. */
  isAll: boolean;
}

/** The actions on all picked schedules. */
export function ForPicked({
  picked,
  filter,
  total,
  pickAll,
  done,
}: {
  picked: Picked;
  filter: ScheduleQuery;
  total: Total;
  pickAll: () => void;
  done: () => void;
}) {
  const { ids, isAll } = picked;
  const canPickAll = !isAll && filter.status !== 'deleted' && total.count > ids.length;
  return (
    <Group className="picked" p="sm" gap="xs" role="toolbar" aria-label="For the picked schedules">
      <Text size="sm" fw={600} className="numbers" mr="xs">
        {isAll ? `All ${totalText(total)} that match` : `${ids.length} picked`}
      </Text>
      {isAll ? <ForAll filter={filter} done={done} /> : <ForIds ids={ids} done={done} />}
      {canPickAll && (
        <Button size="xs" px={4} variant="subtle" onClick={pickAll}>
          Pick all {total.count.toLocaleString('en-GB')}
          {!total.isExact && '+'} that match
        </Button>
      )}
      <Button size="xs" px={4} variant="subtle" onClick={done}>
        Pick none
      </Button>
    </Group>
  );
}

function ForIds({ ids, done }: { ids: string[]; done: () => void }) {
  const pause = useSetStatus('disabled');
  const resume = useSetStatus('enabled');
  const remove = useDelete();
  const then = { onSuccess: done };
  return (
    <>
      <Button size="xs" variant="default" onClick={() => pause.mutate(ids, then)}>
        Pause
      </Button>
      <Button size="xs" variant="default" onClick={() => resume.mutate(ids, then)}>
        Resume
      </Button>
      <SnoozeMenu of={{ ids }} size="xs" done={done} />
      <Button size="xs" variant="outline" color="red" onClick={() => remove.mutate(ids, then)}>
        Delete
      </Button>
    </>
  );
}

function ForAll({ filter, done }: { filter: ScheduleQuery; done: () => void }) {
  const bulk = useBulk(filter);
  const after = (act: () => void) => () => {
    act();
    done();
  };
  return (
    <>
      <Button size="xs" variant="default" onClick={after(() => bulk.setStatus('disabled'))}>
        Pause
      </Button>
      <Button size="xs" variant="default" onClick={after(() => bulk.setStatus('enabled'))}>
        Resume
      </Button>
      <SnoozeMenu
        of={{ ids: [] }}
        size="xs"
        onChosen={until => {
          bulk.snooze(until);
          done();
        }}
      />
      <Button size="xs" variant="outline" color="red" onClick={after(() => bulk.remove())}>
        Delete
      </Button>
    </>
  );
}
