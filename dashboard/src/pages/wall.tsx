import { Button } from '@mantine/core';
import { IconArrowLeft, IconMaximize, IconMoon, IconPlugOff, IconSun } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { connection } from '../live/live.ts';
import { useFlag } from '../parts/flag.ts';
import { whole } from '../parts/numbers.ts';
import { Page } from '../parts/page.tsx';
import { useFullScreen } from '../parts/use-full-screen.ts';
import { sessionEnded } from '../session.ts';
import { wallScheme } from '../settings.ts';
import { clockTime, span } from '../time/times.ts';
import { useWall, type WallState, WINDOW_MINUTES } from '../wall/use-wall.ts';
import { WallFace } from '../wall/wall-face.tsx';
import { WallHistogram } from '../wall/wall-histogram.tsx';
import '../wall/wall.css';

const MINUTE_MS = 60_000;

/** Every firing lands on a clock face: at its second, as far out as it was late. */
export function Wall() {
  const state = useWall();
  const scheme = useFlag(wallScheme);
  const [isFull, setFull] = useFullScreen();
  const other = scheme === 'dark' ? 'light' : 'dark';
  const turn = () => wallScheme.set(other);
  const where = 'On the wall';
  useShortcuts([
    { key: 'f', name: 'Full screen, or back', where, run: () => setFull(!isFull) },
    { name: 'The wall in light or dark', where, words: 'colours theme', run: turn },
  ]);
  const Icon = scheme === 'dark' ? IconSun : IconMoon;
  const face = <Face state={state} scheme={scheme} />;
  return (
    <Page
      name="Wall"
      lede="Each firing lands at its second, as far out as it was late."
      actions={
        <>
          <Button variant="default" leftSection={<Icon size={16} aria-hidden />} onClick={turn}>
            {other === 'dark' ? 'Dark wall' : 'Light wall'}
          </Button>
          <Button
            leftSection={<IconMaximize size={16} aria-hidden />}
            aria-keyshortcuts="f"
            onClick={() => setFull(true)}
          >
            Full screen
          </Button>
        </>
      }
    >
      {isFull ? (
        <FullView scheme={scheme} onBack={() => setFull(false)}>
          {face}
        </FullView>
      ) : (
        face
      )}
    </Page>
  );
}

interface FullViewProps {
  scheme: 'dark' | 'light';
  onBack: () => void;
  children: ReactNode;
}

/** The wall beside the page, which is inert meanwhile, with the way back to it. */
function FullView({ scheme, onBack, children }: FullViewProps) {
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus({ preventScroll: true }), []);
  return createPortal(
    <main className="wall-full" data-scheme={scheme}>
      <h1 className="wall-name">Wall</h1>
      <div className="wall-bar">
        <Button
          ref={back}
          className="wall-back"
          variant="default"
          size="xs"
          leftSection={<IconArrowLeft size={16} aria-hidden />}
          aria-keyshortcuts="f Escape"
          onClick={onBack}
        >
          Back
        </Button>
        <Lost />
      </div>
      {children}
    </main>,
    document.body,
  );
}

/** The frame says it above every page, but the wall covers the frame. */
function Lost() {
  const isLost = useFlag(connection) === 'lost';
  const hasEnded = useFlag(sessionEnded);
  return (
    <p className="wall-lost" role="status">
      {isLost && !hasEnded && (
        <>
          <IconPlugOff size={20} aria-hidden />
          No connection. Newer firings are not shown.
        </>
      )}
    </p>
  );
}

function Face({ state, scheme }: { state: WallState; scheme: 'dark' | 'light' }) {
  return (
    <section className="wall" data-scheme={scheme} aria-label="Firings">
      <div className="wall-face">
        <WallFace memory={state.memory} scheme={scheme} label={`Clock face. ${wordsOf(state)}`} />
        <div className="wall-middle" aria-hidden="true">
          <strong>{state.figures.late ? span(state.figures.late.p50) : '–'}</strong>
          <span>late, p50</span>
        </div>
      </div>
      <Side state={state} />
    </section>
  );
}

function Side({ state }: { state: WallState }) {
  const { figures, counted, dueNext, since, now, isKnown } = state;
  const { fired, failed, late } = figures;
  const told = since === null ? `last ${WINDOW_MINUTES} min` : `since ${clockTime(since)}`;
  return (
    <div className="wall-side">
      <dl className="wall-figures">
        <Figure name="Fired" note={told}>
          {isKnown ? whole(fired) : '–'}
        </Figure>
        <Figure name="Failed" note={told} isBad={isKnown && failed > 0}>
          {isKnown ? whole(failed) : '–'}
        </Figure>
        <Figure name="Due next minute" note={`from ${clockTime(now + MINUTE_MS)}`}>
          {dueNext === null ? '–' : whole(dueNext)}
        </Figure>
        <Figure name="Late, p50">{late ? span(late.p50) : '–'}</Figure>
        <Figure name="Late, p95">{late ? span(late.p95) : '–'}</Figure>
        <Figure name="Late, p99">{late ? span(late.p99) : '–'}</Figure>
      </dl>
      <WallHistogram figures={figures} />
      <Legend />
      {counted && (
        <p>
          More runs end than the service tells one by one, so this is a sample. The service counts{' '}
          {whole(counted.succeeded + counted.failed)} runs in {WINDOW_MINUTES} minutes,{' '}
          {whole(counted.failed)} failed
          {counted.p99LateMs !== undefined && `, p99 ${span(counted.p99LateMs)} late`}.
        </p>
      )}
    </div>
  );
}

interface FigureProps {
  name: string;
  note?: string;
  isBad?: boolean;
  children: ReactNode;
}

function Figure({ name, note, isBad = false, children }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={isBad ? 'wall-figure wall-bad' : 'wall-figure'}>{children}</dd>
      {note !== undefined && <dd className="wall-note">{note}</dd>}
    </div>
  );
}

function Legend() {
  return (
    <ul className="wall-legend" aria-label="Marks">
      <li>
        <svg viewBox="0 0 12 12" aria-hidden="true">
          <circle cx="6" cy="6" r="3.5" className="wall-ok" />
        </svg>
        on time
      </li>
      <li>
        <svg viewBox="0 0 12 12" aria-hidden="true">
          <circle cx="6" cy="6" r="4" className="wall-open" />
        </svg>
        a second late or more
      </li>
      <li>
        <svg viewBox="0 0 12 12" aria-hidden="true">
          <path d="M2 2 L10 10 M2 10 L10 2" className="wall-cross" />
        </svg>
        failed
      </li>
    </ul>
  );
}

/** The figures as a sentence, for those who do not see the face. */
function wordsOf({ figures: { fired, failed, late }, dueNext, isKnown }: WallState): string {
  if (!isKnown) return 'It is not known yet what has fired.';
  if (late === null) return 'Nothing has fired lately.';
  const due = dueNext === null ? '' : ` ${whole(dueNext)} due in the next minute.`;
  return (
    `${whole(fired)} firings, ${whole(failed)} failed. ` +
    `Late: p50 ${span(late.p50)}, p95 ${span(late.p95)}, p99 ${span(late.p99)}.${due}`
  );
}
