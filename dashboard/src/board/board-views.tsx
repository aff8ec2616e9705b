import { ActionIcon, Button, Group, Menu, Stack, TextInput } from '@mantine/core';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from '../parts/dialog.tsx';
import { useClientId } from '../session.ts';
import { forgetView, keepView, keptViews } from './kept-views.ts';

/** Views that every client has. */
const USUAL = [
  { name: 'All', search: '' },
  { name: 'Worst first', search: 'sort=worst' },
  { name: 'Due next', search: 'status=enabled&sort=next' },
  { name: 'Slowest', search: 'sort=slowest' },
  { name: 'Paused', search: 'status=disabled' },
];

/** The menu of views: the address says what is shown, and this browser keeps it under a name. */
export function BoardViews({ search }: { search: string }) {
  const clientId = useClientId();
  const [, go] = useLocation();
  const [views, setViews] = useState(() => keptViews(clientId));
  const [isNaming, setNaming] = useState(false);
  const open = (to: string) => go(to === '' ? '/schedules' : `/schedules?${to}`);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<IconBookmark size={16} aria-hidden />}>
            Views
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {USUAL.map(({ name, search: to }) => (
            <Menu.Item key={name} onClick={() => open(to)}>
              {name}
            </Menu.Item>
          ))}
          {views.length > 0 && <Menu.Label>Yours, in this browser</Menu.Label>}
          {views.map(({ name, search: to }) => (
            <Menu.Item key={name} className="wrap" onClick={() => open(to)}>
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => setNaming(true)}>Keep or forget a view…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog opened={isNaming} onClose={() => setNaming(false)} title="Views of this browser">
        <Naming
          views={views.map(({ name }) => name)}
          onKeep={name => {
            setViews(keepView(clientId, { name, search }));
            setNaming(false);
          }}
          onForget={name => setViews(forgetView(clientId, name))}
        />
      </Dialog>
    </>
  );
}

function Naming({
  views,
  onKeep,
  onForget,
}: {
  views: string[];
  onKeep: (name: string) => void;
  onForget: (name: string) => void;
}) {
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') onKeep(name.trim());
  };
  return (
    <Stack>
      <form onSubmit={submit}>
        <Group align="end" wrap="nowrap">
          <TextInput
            label="Name of this view"
            description="It keeps the filters and the order that are shown now."
            maxLength={60}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            style={{ flex: 1 }}
          />
          <Button type="submit" disabled={name.trim() === ''}>
            Keep
          </Button>
        </Group>
      </form>
      {views.map(view => (
        <Group key={view} justify="space-between" wrap="nowrap">
          <span className="wrap">{view}</span>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Forget ${view}`}
            onClick={() => onForget(view)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
    </Stack>
  );
}
