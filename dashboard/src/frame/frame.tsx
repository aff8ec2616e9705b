import {
  ActionIcon,
  Alert,
  AppShell,
  Burger,
  Group,
  Menu,
  NavLink,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import {
  IconBaselineDensityMedium,
  IconBaselineDensitySmall,
  IconBook2,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { sendLate } from '../change/undo.ts';
import { forgetDrafts } from '../form/kept-drafts.ts';
import { Resending } from '../incident/resending-progress.tsx';
import { openIncidents } from '../incident/trouble.ts';
import { Keyboard, openHelp, openPalette } from '../keyboard/keyboard.tsx';
import { PLACES } from '../keyboard/places.ts';
import { keyText } from '../keyboard/shortcuts.ts';
import { connection } from '../live/live.ts';
import { useFlag } from '../parts/flag.ts';
import { Logo } from '../parts/logo.tsx';
import { api, isSignedOut, sentenceOf } from '../queries.ts';
import { BASE, ROOT } from '../root.ts';
import { sessionEnded } from '../session.ts';
import { density } from '../settings.ts';
import { Paused } from './paused.tsx';
import { ZoneReportBanner } from './zone-report.tsx';

/** The frame of every page: the current page, the navigation, and whether the service responds. */
export function Frame({ clientName, children }: { clientName: string; children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 200, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'md' }}
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
              hiddenFrom="md"
              size="sm"
              aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
            />
            <Logo size={24} />
            <Text fw={650} size="lg" className="wordmark">
              Punctual
            </Text>
            <Live />
          </Group>
          <Group gap={4} wrap="nowrap">
            <Find />
            <Scheme />
            <Account clientName={clientName} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <Places onGo={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <div className="page">
          <Lost />
          <Paused />
          <ZoneReportBanner />
          <Resending />
          {children}
        </div>
      </AppShell.Main>
      <Keyboard />
    </AppShell>
  );
}

function Places({ onGo }: { onGo: () => void }) {
  const [location] = useLocation();
  const open = useFlag(openIncidents);
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
          rightSection={path === '/incidents' && open > 0 && <OpenCount open={open} />}
          onClick={onGo}
          className="place"
        />
      ))}
      <NavLink
        href={`${BASE}/docs`}
        label="API reference"
        leftSection={<IconBook2 size={19} stroke={1.6} aria-hidden />}
        className="place"
        mt="auto"
      />
    </>
  );
}

function OpenCount({ open }: { open: number }) {
  return (
    <span className="open-count numbers">
      {open} <VisuallyHidden>open</VisuallyHidden>
    </span>
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

/** The way to everything for a pointer, and the hint of its key. */
function Find() {
  return (
    <button type="button" className="find" onClick={openPalette}>
      <IconSearch size={16} aria-hidden />
      <span>Go to anything</span>
      <kbd>{keyText('mod+k')}</kbd>
    </button>
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
    location.assign(ROOT);
  };
  const signOut = useMutation({
    mutationFn: async () => {
      await sendLate();
      return api.signOut();
    },
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
        <Density />
        <Menu.Item leftSection={<IconKeyboard size={16} />} onClick={openHelp}>
          Keys
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Density() {
  const isCompact = useFlag(density) === 'compact';
  const Icon = isCompact ? IconBaselineDensityMedium : IconBaselineDensitySmall;
  return (
    <Menu.Item
      leftSection={<Icon size={16} />}
      onClick={() => density.set(isCompact ? 'comfortable' : 'compact')}
    >
      {isCompact ? 'Comfortable rows' : 'Compact rows'}
    </Menu.Item>
  );
}
