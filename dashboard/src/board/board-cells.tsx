import { Code, Text } from '@mantine/core';
import type { ScheduleHealth } from '@punctual/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useIntervalWords } from '../schedule/interval-words.ts';
import { nameOf, withMarks } from '../schedule/schedule-name.ts';
import { ScheduleStateText, Status } from '../schedule/status.tsx';
import { Tags } from '../schedule/tags.tsx';
import { fullTime, inReadersTime, relative, shortTime, span, useNow } from '../time/times.ts';
import { countdown, inARowText, shareText } from './health-words.ts';

/** The cells of the board: one fact each, with another one beneath. */

function Two({ children, second }: { children: ReactNode; second?: ReactNode }) {
  return (
    <>
      <Text size="sm" component="div" className="numbers">
        {children}
      </Text>
      {second && (
        <Text size="xs" component="div" className="second muted numbers">
          {second}
        </Text>
      )}
    </>
  );
}

export function NameCell({ schedule }: ScheduleHealth) {
  const { id, url, verb } = schedule;
  const name = nameOf(schedule);
  return (
    <>
      <div className="clip" title={name}>
        <Link href={`/schedules/${id}`} className="link">
          {name}
        </Link>
      </div>
      <Text size="xs" className="clip muted second" title={url}>
        {verb} {withMarks(url)}
      </Text>
      <Tags schedule={schedule} />
    </>
  );
}

/** The result of the latest time, and how long ago. */
export function LastCell({ last, recent }: ScheduleHealth) {
  const now = useNow(5_000);
  if (last === undefined) return <Two>not run yet</Two>;
  const { status, responseStatus, error, endedAt, scheduledFor } = last;
  const ago = relative(endedAt ?? scheduledFor, Math.max(now, Date.parse(endedAt ?? scheduledFor)));
  const answer = responseStatus ?? (status === 'failed' ? 'no answer' : undefined);
  const inARow = inARowText(recent);
  const title = [fullTime(endedAt ?? scheduledFor), error && inReadersTime(error)].filter(Boolean);
  return (
    <div title={title.join(': ')}>
      <Two second={answer === undefined ? ago : `${answer}, ${ago}`}>
        <Status of={status} />
        {inARow && <span className="in-a-row"> {inARow}</span>}
      </Two>
    </div>
  );
}

/** When it fires next, counted down; for one that does not fire, why. */
export function NextCell({ schedule, nextAt }: ScheduleHealth) {
  const { interval, timezone } = schedule;
  const words = useIntervalWords(interval);
  return (
    <Two
      second={
        <span className="clip" title={[words, timezone].filter(Boolean).join(', ')}>
          <Code fz="xs">{interval}</Code>
        </span>
      }
    >
      {schedule.status === 'enabled' && nextAt !== undefined && !isSnoozed(schedule) ? (
        <Countdown at={nextAt} />
      ) : (
        <ScheduleStateText schedule={schedule} />
      )}
    </Two>
  );
}

function isSnoozed({ pausedUntil }: ScheduleHealth['schedule']): boolean {
  return pausedUntil !== undefined && Date.parse(pausedUntil) > Date.now();
}

function Countdown({ at }: { at: string }) {
  const now = useNow(1_000);
  return (
    <time dateTime={at} title={shortTime(at)}>
      {countdown(at, now)}
    </time>
  );
}

export function SpansCell({ p95DurationMs, p95LateMs }: ScheduleHealth) {
  if (p95DurationMs === undefined) return <Two>–</Two>;
  return (
    <Two second={p95LateMs !== undefined && `${span(p95LateMs)} late`}>{span(p95DurationMs)}</Two>
  );
}

export function ShareCell(health: ScheduleHealth) {
  const { ended24h, succeeded24h, countedFrom } = health;
  const share = shareText(health);
  if (share === null) return <Two>–</Two>;
  const runs = `${ended24h.toLocaleString('en-GB')} ${ended24h === 1 ? 'run' : 'runs'}`;
  return (
    <Two second={countedFrom === undefined ? runs : `since ${shortTime(countedFrom)}`}>
      <span className={succeeded24h < ended24h ? 'share-bad' : undefined}>{share}</span>
    </Two>
  );
}
