import {
  ActionIcon,
  Alert,
  AppShell,
  Burger,
  Container,
  Group,
  Menu,
  NavLink,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import {
  IconBook2,
  IconCalendarClock,
  IconChartBar,
  IconGridDots,
  IconKey,
  IconLogout,
  IconMoon,
  IconPlayerPlay,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useFlag } from '../flag.ts';
import { forgetDrafts } from '../kept-drafts.ts';
import { connection } from '../live.ts';
import { api, isSignedOut, sentenceOf } from '../queries.ts';
import { sessionEnded } from '../session.ts';
import { Logo } from './logo.tsx';
import { Paused } from './paused.tsx';

const PLACES = [
  { path: '/', name: 'Overview', Icon: IconChartBar },
  { path: '/schedules', name: 'Schedules', Icon: IconCalendarClock },
  { path: '/runs', name: 'Runs', Icon: IconPlayerPlay },
  { path: '/forecast', name: 'Forecast', Icon: IconGridDots },
  { path: '/keys', name: 'Keys', Icon: IconKey },
];

/** The frame of every page: the current page, the navigation, and whether the service responds. */
export function Frame({ clientName, children }: { clientName: string; children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a className="skip" href="#content">
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
            />
            <Logo size={26} />
            <Text fw={650} size="lg">
              Punctual
            </Text>
            <Live />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Scheme />
            <Account clientName={clientName} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <Places onGo={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Container size={1240} p={0}>
          <Lost />
          <Paused />
          {children}
        </Container>
      </AppShell.Main>
    </AppShell>
  );
}

function Places({ onGo }: { onGo: () => void }) {
  const [location] = useLocation();
  const isHere = (path: string) => (path === '/' ? location === '/' : location.startsWith(path));
  return (
    <>
      {PLACES.map(({ path, name, Icon }) => (
        <NavLink
          key={path}
          component={Link}
          href={path}
          label={name}
          active={isHere(path)}
          aria-current={isHere(path) ? 'page' : undefined}
          leftSection={<Icon size={19} stroke={1.6} aria-hidden />}
          onClick={onGo}
          style={{ borderRadius: 8 }}
        />
      ))}
      <NavLink
        href="/docs"
        label="API reference"
        leftSection={<IconBook2 size={19} stroke={1.6} aria-hidden />}
        style={{ borderRadius: 8, marginTop: 'auto' }}
      />
    </>
  );
}

function Live() {
  const state = useFlag(connection);
  const [tone, text] =
    state === 'live'
      ? ['ok', 'Live']
      : state === 'lost'
        ? ['bad', 'No connection']
        : ['quiet', '…'];
  return (
    <Text size="xs" className={`status muted tone-${tone}`} role="status">
      {text}
    </Text>
  );
}

function Lost() {
  const state = useFlag(connection);
  // An ended session ends the stream of events as well: that has a dialog of its own.
  const hasEnded = useFlag(sessionEnded);
  if (state !== 'lost' || hasEnded) return null;
  return (
    <Alert color="orange" variant="outline" mb="md" title="The connection to Punctual is lost">
      It is tried again by itself. What you see may be old; what you type stays.
    </Alert>
  );
}

function Scheme() {
  const scheme = useComputedColorScheme('light');
  const { setColorScheme } = useMantineColorScheme();
  const next = scheme === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={`Show it in ${next} colours`}
      onClick={() => setColorScheme(next)}
    >
      {scheme === 'dark' ? <IconSun size={19} /> : <IconMoon size={19} />}
    </ActionIcon>
  );
}

function Account({ clientName }: { clientName: string }) {
  const queries = useQueryClient();
  const leave = () => {
    forgetDrafts();
    queries.clear();
    location.assign('/');
  };
  const signOut = useMutation({
    mutationFn: () => api.signOut(),
    onSuccess: leave,
    onError: error => {
      if (isSignedOut(error)) return leave();
      const message = `You are still signed in. ${sentenceOf(error)}`;
      notifications.show({ message, color: 'red', autoClose: 10_000 });
    },
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Account: ${clientName}`}>
          <IconUserCircle size={21} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{clientName}</Menu.Label>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
