import { Alert, Button, Center, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { SessionEnded, SignIn } from './access/sign-in.tsx';
import { beginOrGetSession, LinkRefused, useLinkOfPage } from './access/sign-in-link.ts';
import { Frame } from './frame/frame.tsx';
import { Bones, Shell, useWithoutFirstShell } from './frame/shell.tsx';
import { useTrouble } from './incident/trouble.ts';
import { useLive } from './live/live.ts';
import { Overview } from './pages/overview.tsx';
import { NotShown, OnItsWay } from './parts/on-its-way.tsx';
import { Page } from './parts/page.tsx';
import { isSignedOut, sentenceOf } from './queries.ts';

const Schedules = lazy(async () => ({
  default: (await import('./pages/schedules.tsx')).Schedules,
}));
const ScheduleForm = lazy(async () => ({
  default: (await import('./pages/schedule-form.tsx')).ScheduleForm,
}));
const OneSchedule = lazy(async () => ({
  default: (await import('./pages/schedule.tsx')).OneSchedule,
}));
const TimelinePage = lazy(async () => ({
  default: (await import('./pages/timeline.tsx')).TimelinePage,
}));
const Runs = lazy(async () => ({ default: (await import('./pages/runs.tsx')).Runs }));
const Incidents = lazy(async () => ({
  default: (await import('./pages/incidents.tsx')).Incidents,
}));
const Forecast = lazy(async () => ({ default: (await import('./pages/forecast.tsx')).Forecast }));
const Wall = lazy(async () => ({ default: (await import('./pages/wall.tsx')).Wall }));
const Calendars = lazy(async () => ({
  default: (await import('./pages/calendars.tsx')).Calendars,
}));
const OneCalendar = lazy(async () => ({
  default: (await import('./pages/calendar.tsx')).OneCalendar,
}));
const Destinations = lazy(async () => ({
  default: (await import('./pages/destinations.tsx')).Destinations,
}));
const OneDestination = lazy(async () => ({
  default: (await import('./pages/destination.tsx')).OneDestination,
}));
const NotFound = lazy(async () => ({ default: (await import('./pages/not-found.tsx')).NotFound }));
const Keys = lazy(async () => ({ default: (await import('./pages/keys.tsx')).Keys }));

export function App() {
  useWithoutFirstShell();
  useLinkOfPage();
  const session = useQuery({
    queryKey: ['session'],
    queryFn: beginOrGetSession,
    retry: (_failures, error) => !isSignedOut(error) && !(error instanceof LinkRefused),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (session.data !== undefined) {
    return (
      <Inside clientName={session.data.clientName}>
        <Pages />
      </Inside>
    );
  }
  if (session.error instanceof LinkRefused) return <SignIn refusal={session.error.message} />;
  if (isSignedOut(session.error)) return <SignIn />;
  return <Waiting sentence={session.failureCount > 1 ? sentenceOf(session.failureReason) : null} />;
}

function Inside({ clientName, children }: { clientName: string; children: React.ReactNode }) {
  useLive();
  useTrouble();
  return (
    <>
      <Frame clientName={clientName}>{children}</Frame>
      <SessionEnded />
    </>
  );
}

function Pages() {
  // Another page begins anew.
  const [path] = useLocation();
  return (
    <OnItsWay key={path} fallback={<Bones />} failed={<PageNotShown />}>
      <Switch>
        <Route path="/" component={Overview} />
        <Route path="/schedules" component={Schedules} />
        <Route path="/schedules/new">
          <ScheduleForm key="new" id={null} />
        </Route>
        <Route path="/schedules/:id/edit">{({ id }) => <ScheduleForm key={id} id={id} />}</Route>
        <Route path="/schedules/:id">{({ id }) => <OneSchedule key={id} id={id} />}</Route>
        <Route path="/timeline" component={TimelinePage} />
        <Route path="/runs" component={Runs} />
        <Route path="/incidents" component={Incidents} />
        <Route path="/calendars" component={Calendars} />
        <Route path="/calendars/new">
          <OneCalendar key="new" name={null} />
        </Route>
        <Route path="/calendars/:name">
          {({ name }) => <OneCalendar key={name} name={name} />}
        </Route>
        <Route path="/destinations" component={Destinations} />
        <Route path="/destinations/new">
          <OneDestination key="new" name={null} />
        </Route>
        <Route path="/destinations/:name">
          {({ name }) => <OneDestination key={name} name={name} />}
        </Route>
        <Route path="/forecast" component={Forecast} />
        <Route path="/wall" component={Wall} />
        <Route path="/keys" component={Keys} />
        <Route component={NotFound} />
      </Switch>
    </OnItsWay>
  );
}

function PageNotShown() {
  return (
    <Page name="This page did not load">
      <NotShown />
    </Page>
  );
}

function Waiting({ sentence }: { sentence: string | null }) {
  if (sentence === null) return <Shell />;
  return (
    <Center mih="100vh" component="main">
      <Stack align="center" maw={420} p="md">
        <Alert color="orange" title="No connection">
          <Text size="sm">{sentence} The page goes on by itself as soon as it answers.</Text>
        </Alert>
        <Button variant="default" onClick={() => location.reload()}>
          Try now
        </Button>
      </Stack>
    </Center>
  );
}
