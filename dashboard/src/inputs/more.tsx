import { Button, Collapse } from '@mantine/core';
import { useEffect, useState } from 'react';

/** Options that most schedules do not use: closed until one is set. */
export function More({
  title,
  count,
  error,
  children,
}: {
  title: string;
  count: number;
  error?: string | undefined;
  children: React.ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (count > 0 || error !== undefined) setOpen(true);
  }, [count, error]);
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        px={4}
        ml={-4}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? '−' : '+'} {title}
        {count > 0 && ` (${count})`}
      </Button>
      <Collapse expanded={isOpen} pt="xs">
        {children}
      </Collapse>
    </div>
  );
}
