import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../queries.ts';
import { withMarks } from '../schedule/schedule-name.ts';

const FEW = 12;

/** Hosts or tags with their numbers of schedules, most first: each selects its schedules, or gives them free again. */
export function BoardGroups({
  by,
  selected,
  onToggle,
}: {
  by: 'host' | 'tag';
  selected: readonly string[];
  onToggle: (name: string) => void;
}) {
  const [isAll, setAll] = useState(false);
  const { data } = useQuery({
    queryKey: ['health', 'groups', by],
    queryFn: async () => (await api.listHealth({ limit: 1, groupBy: by })).groups ?? [],
    staleTime: 10_000,
  });
  if (data === undefined) return null;
  const shown = isAll ? data : data.slice(0, FEW);
  return (
    <Group gap={6} px="sm" pb="sm" role="group" aria-label={by === 'host' ? 'Hosts' : 'Tags'}>
      {shown.length === 0 && (
        <span className="muted">No schedule has {by === 'host' ? 'a host' : 'a tag'} yet.</span>
      )}
      {shown.map(({ name, count }) => (
        <button
          key={name}
          type="button"
          className="tag"
          aria-pressed={selected.includes(name)}
          onClick={() => onToggle(name)}
        >
          {withMarks(name)} <span className="numbers">{count.toLocaleString('en-GB')}</span>
        </button>
      ))}
      {data.length > FEW && (
        <Button size="compact-xs" variant="subtle" onClick={() => setAll(!isAll)}>
          {isAll ? 'Fewer' : `${data.length - FEW} more`}
        </Button>
      )}
    </Group>
  );
}
