import { Button, Skeleton } from '@mantine/core';
import type { ScheduleInput } from '@punctual/client';
import { lazy, useState } from 'react';
import { SideDialog } from '../parts/dialog.tsx';
import { OnItsWay } from '../parts/on-its-way.tsx';

const ScheduleCode = lazy(async () => ({
  default: (await import('./code-tabs.tsx')).ScheduleCode,
}));

/** A button that shows a schedule as cURL, TypeScript or YAML. */
export function ShowAs({ input }: { input: ScheduleInput }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Show as code
      </Button>
      <SideDialog opened={isOpen} title="The schedule as code" onClose={() => setOpen(false)}>
        <OnItsWay fallback={<Skeleton height={240} />}>
          <ScheduleCode input={input} />
        </OnItsWay>
      </SideDialog>
    </>
  );
}
