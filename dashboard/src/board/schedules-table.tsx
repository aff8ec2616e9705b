import { ActionIcon, Checkbox, Menu, VisuallyHidden } from '@mantine/core';
import type { HealthSort, Schedule, ScheduleHealth } from '@punctual/client';
import { IconArrowDown, IconDots } from '@tabler/icons-react';
import {
  createColumnHelper,
  rowSelectionFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { Link } from 'wouter';
import { useDelete, useRunNow, useSetStatus } from '../change/actions.ts';
import { SnoozeItems, useSnoozing } from '../change/snooze-menu.tsx';
import { nameOf } from '../schedule/schedule-name.ts';
import { LastCell, NameCell, NextCell, ShareCell, SpansCell } from './board-cells.tsx';
import { BoardStrip } from './board-strip.tsx';

/** A row of the board, under the id of its schedule. */
export interface BoardRow extends ScheduleHealth {
  id: string;
}

const features = tableFeatures({ rowSelectionFeature });
const column = createColumnHelper<typeof features, BoardRow>();

interface Head {
  name: string;
  /** The sort that its name asks for. */
  sort?: HealthSort;
  className?: string;
  /** Beside the value where a row is a card. */
  label?: string;
}

const HEADS: Record<string, Head> = {
  name: { name: 'Schedule', sort: 'newest', className: 'grow' },
  recent: { name: 'Last 30', sort: 'worst' },
  last: { name: 'Last' },
  next: { name: 'Next', sort: 'next' },
  spans: { name: 'Took, p95', sort: 'slowest', label: 'p95' },
  share: { name: '24 h', label: '24 h' },
};

const columns = column.columns([
  column.display({ id: 'name', cell: ({ row }) => <NameCell {...row.original} /> }),
  column.display({ id: 'recent', cell: ({ row }) => <BoardStrip recent={row.original.recent} /> }),
  column.display({ id: 'last', cell: ({ row }) => <LastCell {...row.original} /> }),
  column.display({ id: 'next', cell: ({ row }) => <NextCell {...row.original} /> }),
  column.display({ id: 'spans', cell: ({ row }) => <SpansCell {...row.original} /> }),
  column.display({ id: 'share', cell: ({ row }) => <ShareCell {...row.original} /> }),
]);

/** Schedules with their health, each with its actions, to be picked for those that take many. */
export function SchedulesTable({
  items,
  sort,
  onSort,
  picked,
  setPicked,
}: {
  items: BoardRow[];
  sort: HealthSort;
  onSort: (sort: HealthSort) => void;
  picked: Set<string>;
  setPicked: (picked: Set<string>) => void;
}) {
  const rowSelection = Object.fromEntries([...picked].map(id => [id, true as const]));
  const table = useTable({
    features,
    columns,
    data: items,
    getRowId: ({ id }) => id,
    state: { rowSelection },
    enableRowSelection: ({ original }) => original.schedule.status !== 'deleted',
    isRowRangeSelectionEvent: event =>
      (event as { nativeEvent?: MouseEvent }).nativeEvent?.shiftKey ?? false,
    onRowSelectionChange: updater => {
      const next = typeof updater === 'function' ? updater(rowSelection) : updater;
      setPicked(new Set(Object.keys(next)));
    },
  });
  return (
    <table className="rows board">
      <thead>
        <tr>
          <th>
            <Checkbox
              aria-label="Pick all of this page"
              checked={items.length > 0 && table.getIsAllRowsSelected()}
              indeterminate={picked.size > 0 && !table.getIsAllRowsSelected()}
              onChange={event => table.toggleAllRowsSelected(event.currentTarget.checked)}
            />
          </th>
          {Object.entries(HEADS).map(([id, head]) => (
            <HeadCell key={id} head={head} sort={sort} onSort={onSort} />
          ))}
          <th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {table.getRowModel().rows.map(row => (
          <tr key={row.id} data-selected={row.getIsSelected() || undefined}>
            <td className="pick">
              <Checkbox
                aria-label={`Pick ${nameOf(row.original.schedule)}`}
                checked={row.getIsSelected()}
                disabled={!row.getCanSelect()}
                onChange={row.getToggleSelectedHandler()}
              />
            </td>
            {row.getAllCells().map(cell => {
              const { className, label } = HEADS[cell.column.id]!;
              return (
                <td
                  key={cell.id}
                  className={className ?? `board-${cell.column.id}`}
                  data-label={label}
                >
                  <table.FlexRender cell={cell} />
                </td>
              );
            })}
            <td className="corner">
              {row.getCanSelect() && <RowMenu schedule={row.original.schedule} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function HeadCell({
  head: { name, sort: own },
  sort,
  onSort,
}: {
  head: Head;
  sort: HealthSort;
  onSort: (sort: HealthSort) => void;
}) {
  if (own === undefined) return <th>{name}</th>;
  const isSorted = own === sort;
  return (
    <th aria-sort={isSorted ? 'descending' : undefined}>
      <button type="button" className="sort" onClick={() => onSort(own)}>
        {name}
        {isSorted && <IconArrowDown size={12} aria-hidden />}
      </button>
    </th>
  );
}

function RowMenu({ schedule }: { schedule: Schedule }) {
  const { id, status } = schedule;
  const runNow = useRunNow();
  const remove = useDelete();
  const next = status === 'enabled' ? 'disabled' : 'enabled';
  const setStatus = useSetStatus(next);
  const { timezone, pausedUntil } = schedule;
  const snoozing = useSnoozing({ of: { ids: [id] }, timezone, pausedUntil });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${nameOf(schedule)}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => runNow.mutate([id])}>Run now</Menu.Item>
          <Menu.Item onClick={() => setStatus.mutate([id])}>
            {next === 'enabled' ? 'Resume' : 'Pause'}
          </Menu.Item>
          {status === 'enabled' && <SnoozeItems snoozing={snoozing} />}
          <Menu.Item component={Link} href={`/schedules/${id}/edit`}>
            Edit
          </Menu.Item>
          <Menu.Item component={Link} href={`/schedules/new?from=${id}`}>
            Clone
          </Menu.Item>
          <Menu.Item color="red" onClick={() => remove.mutate([id])}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {snoozing.dialog}
    </>
  );
}
