import {
  IconAlertTriangle,
  IconCalendarClock,
  IconCalendarOff,
  IconChartBar,
  IconClock,
  IconGridDots,
  IconKey,
  IconPlayerPlay,
  IconPlugConnected,
  IconTimeline,
} from '@tabler/icons-react';

/** The pages, as the menu and the palette name them. */
export const PLACES = [
  { path: '/', name: 'Overview', Icon: IconChartBar },
  { path: '/schedules', name: 'Schedules', Icon: IconCalendarClock },
  { path: '/timeline', name: 'Timeline', Icon: IconTimeline },
  { path: '/runs', name: 'Runs', Icon: IconPlayerPlay },
  { path: '/incidents', name: 'Incidents', Icon: IconAlertTriangle },
  { path: '/calendars', name: 'Calendars', Icon: IconCalendarOff },
  { path: '/destinations', name: 'Destinations', Icon: IconPlugConnected },
  { path: '/forecast', name: 'Forecast', Icon: IconGridDots },
  { path: '/wall', name: 'Wall', Icon: IconClock },
  { path: '/keys', name: 'Keys', Icon: IconKey },
];
