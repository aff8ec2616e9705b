import { Alert, Box, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { sentenceOf } from '../queries.ts';

/** The head of a page: its name, which the tab has too, and what can be done. */
export function Page({
  name,
  title = name,
  actions,
  children,
}: {
  name: string;
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${name} · Punctual`;
  }, [name]);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="center" gap="sm">
        <Title order={1} className="wrap">
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
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
 * Shows the answer to a query. If the query fails, the last answer stays, with the error above it.
 */
export function Asked<Data>({
  query,
  height = 160,
  children,
}: {
  query: UseQueryResult<Data>;
  height?: number;
  children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch, isFetching } = query;
  return (
    <>
      {error && <Failed error={error} again={() => void refetch()} isBusy={isFetching} />}
      {data === undefined && !error && (
        <Skeleton height={height} m="md" w="auto" role="status" aria-label="Loading" />
      )}
      {data !== undefined && children(data)}
    </>
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
