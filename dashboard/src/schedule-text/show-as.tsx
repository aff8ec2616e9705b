import { Button, Skeleton } from '@mantine/core';
import type { ScheduleInput } from '@punctual/client';
import { lazy, Suspense, useState } from 'react';
import { SideDialog } from '../parts/dialog.tsx';

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
        <Suspense fallback={<Skeleton height={240} />}>
          <ScheduleCode input={input} />
        </Suspense>
      </SideDialog>
    </>
  );
}
