import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { OnItsWay } from '../parts/on-its-way.tsx';
import { api } from '../queries.ts';
import { isRulesSeen, markRulesSeen } from './seen-rules.ts';

const ChangedZones = lazy(async () => ({
  default: (await import('./changed-zones.tsx')).ChangedZones,
}));

/** Rules of time zones have changed, and with them times of schedules: told until somebody closes it. */
export function ZoneReportBanner() {
  const { data } = useQuery({
    queryKey: ['zone report'],
    queryFn: () => api.getTzdata(),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [closed, setClosed] = useState<string | null>(null);
  if (data === undefined || !data.zones.some(({ schedules }) => schedules.length > 0)) return null;
  const { version } = data;
  if (closed === version || isRulesSeen(version)) return null;
  const close = () => {
    markRulesSeen(version);
    setClosed(version);
  };
  return (
    <OnItsWay failed={null}>
      <ChangedZones report={data} onClose={close} />
    </OnItsWay>
  );
}
