import { Alert, Box, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconChevronLeft, IconFilter } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { openIncidents, titleOf } from '../incident/trouble.ts';
import { isMissing, sentenceOf } from '../queries.ts';
import { useFlag } from './flag.ts';

/** The head of a page: its name, which the tab has too, what it is for, and what can be done. */
export function Page({
  name,
  title = name,
  up,
  badge,
  lede,
  actions,
  children,
}: {
  name: string;
  title?: ReactNode;
  /** The list that it is one of. */
  up?: { href: string; name: string };
  /** Its state, beside its name. */
  badge?: ReactNode;
  /** A sentence or two. */
  lede?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const open = useFlag(openIncidents);
  useEffect(() => {
    document.title = titleOf(name, open);
  }, [name, open]);
  return (
    <Stack gap="md">
      <div className="head">
        <div className="head-name">
          {up && (
            <Link href={up.href} className="up" title={up.name}>
              <IconChevronLeft size={14} aria-hidden />
              <span className="clip">{up.name}</span>
            </Link>
          )}
          <Group gap="sm" align="baseline" wrap="nowrap">
            <Title order={1} className="wrap title" title={name}>
              {title}
            </Title>
            {badge && <span className="badge">{badge}</span>}
          </Group>
          {lede && <p className="lede">{lede}</p>}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </div>
      {children}
    </Stack>
  );
}

export function Card({
  title,
  aside,
  children,
  padded = true,
}: {
  title?: string;
  aside?: ReactNode;
  children: ReactNode;
  padded?: boolean;
}) {
  return (
    <Box component="section" className="card" aria-label={title} tabIndex={-1}>
      {title && (
        <Group justify="space-between" px="md" pt="sm" pb={padded ? 0 : 'xs'} gap="xs">
          <Title order={2}>{title}</Title>
          {aside}
        </Group>
      )}
      <Box p={padded ? 'md' : 0}>{children}</Box>
    </Box>
  );
}

/**
 * Shows the answer to a query. If the query fails, the last answer stays, with the error above it. While the
 * answer to another question is shown, it is dimmed.
 */
export function Asked<Data>({
  query,
  height = 160,
  up,
  children,
}: {
  query: UseQueryResult<Data>;
  height?: number;
  /** The list that it is one of: the way back from one that does not exist. */
  up?: { href: string; name: string };
  children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch, isFetching, isPlaceholderData } = query;
  if (up && data === undefined && isMissing(error)) return <Missing error={error} up={up} />;
  return (
    <>
      {error && <Failed error={error} again={() => void refetch()} isBusy={isFetching} />}
      {data === undefined && !error && (
        <Skeleton height={height} m="md" w="auto" role="status" aria-label="Loading" />
      )}
      {data !== undefined && (
        <div className={isPlaceholderData ? 'old' : undefined} aria-busy={isPlaceholderData}>
          {children(data)}
        </div>
      )}
    </>
  );
}

/** An address of one that does not exist, or no longer. */
function Missing({ error, up }: { error: unknown; up: { href: string; name: string } }) {
  return (
    <Card>
      <Empty title={sentenceOf(error)}>
        <Text size="sm" mb="md">
          The address may be cut off, or of another client.
        </Text>
        <Button component={Link} href={up.href}>
          {up.name}
        </Button>
      </Empty>
    </Card>
  );
}

export function Failed({
  error,
  again,
  isBusy,
}: {
  error: unknown;
  again?: () => void;
  isBusy?: boolean;
}) {
  return (
    <Alert color="red" variant="outline" role="alert" m="md">
      <Group justify="space-between" gap="xs">
        <Text size="sm" className="wrap">
          {sentenceOf(error)}
        </Text>
        {again && (
          <Button size="xs" variant="default" onClick={again} loading={isBusy ?? false}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Stack align="center" gap={6} py={36} px="md" ta="center">
      <Text fw={600}>{title}</Text>
      {children && (
        <Box className="muted" fz="sm" maw={460}>
          {children}
        </Box>
      )}
    </Stack>
  );
}

/** Whether the window has the width of a phone. */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 40em)', undefined, { getInitialValueInEffect: false });
}

/**
 * The filters of a list. On a phone they are folded, so that the list begins on the first screen.
 *
 * @param count of those that are set
 */
export function FilterBar({ count, children }: { count: number; children: ReactNode }) {
  const isPhone = useIsPhone();
  const [isOpen, setOpen] = useState(false);
  if (!isPhone) {
    return (
      <Group p="sm" gap="sm" align="end" role="search">
        {children}
      </Group>
    );
  }
  return (
    <Box p="sm" role="search">
      <Button
        variant="default"
        fullWidth
        aria-expanded={isOpen}
        leftSection={<IconFilter size={16} aria-hidden />}
        onClick={() => setOpen(!isOpen)}
      >
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </Button>
      {isOpen && (
        <Stack gap="sm" mt="sm">
          {children}
        </Stack>
      )}
    </Box>
  );
}
