import type { ScheduleInput, SchedulePatch } from '@punctual/client';
import { longBodyOf, longEditOf } from './long/workload.ts';
import type { Parts } from './parts.ts';
import type { Action } from './profile.ts';
import { isQuiet, QUIET_INTERVALS, quietBody } from './quiet.ts';
import { raceOf } from './race.ts';
import { Random } from './random.ts';
import * as workload from './workload.ts';

/** What happens to the parts of a world, by its profile. */
export function act(action: Action, parts: Parts): void {
  const { seed, machine, around, fleet, callers, stalls, tell } = parts;
  switch (action.kind) {
    case 'kill':
      if (action.isAmidCall) around.beforeAnswer = node => fleet.kill(node, action);
      else fleet.kill(fleet.of(action), action);
      return;
    case 'powerCut':
      fleet.cutPower(action);
      return;
    case 'stop':
      fleet.stop(fleet.of(action), action.limitMs, action.downMs);
      return;
    case 'freeze':
      fleet.freeze(fleet.of(action), action.forMs);
      return;
    case 'lose':
      tell(`answers of the store are lost for ${Math.round(action.forMs)} ms`);
      parts.lost.untilMs = machine.elapsedMs + action.forMs;
      return;
    case 'refuse': {
      const { faults, ...whose } = fleet.wayOf(action);
      tell(`store${nameOf(whose)} refuses for ${Math.round(action.forMs)} ms`);
      faults.refusesUntil = machine.elapsedMs + action.forMs;
      const to = machine.trueNow + Math.ceil(action.forMs);
      stalls.push({ from: machine.trueNow, to, ...whose });
      return;
    }
    case 'slow': {
      const { faults, ...whose } = fleet.wayOf(action);
      const span = `by ${Math.round(action.byMs)} ms for ${Math.round(action.forMs)} ms`;
      tell(`store${nameOf(whose)} slow ${span}`);
      faults.slowUntil = machine.elapsedMs + action.forMs;
      faults.slowByMs = action.byMs;
      // A call that began at its end is slow as well, and so is the one that follows from it.
      const to = machine.trueNow + Math.ceil(action.forMs + action.byMs);
      stalls.push({ from: machine.trueNow, to, ...whose });
      return;
    }
    case 'create': {
      const body = bodyOf(action, parts);
      void callers.create(parts.clientOf(body, action.index), body);
      return;
    }
    case 'edit': {
      const random = new Random(seed, `edit ${action.draw}`);
      void callers.edit(action.which, editIn(parts, random));
      return;
    }
    case 'race': {
      const random = new Random(seed, `race ${action.draw}`);
      void callers.race(
        action.which,
        raceOf(random, () => editIn(parts, random)),
      );
      return;
    }
    case 'explain': {
      const second = Math.round(machine.now / 1_000) * 1_000;
      void callers.explain(action.which, second + action.offsetMs);
      return;
    }
    case 'count':
      void parts.counts.ask(action);
      return;
    case 'next':
      void callers.next(action.which, action.count);
      return;
    case 'trigger':
      void callers.trigger(action.which);
      return;
    case 'limit':
      parts.destinations?.change(new Random(seed, `limit ${action.draw}`));
      return;
    case 'calendar':
      parts.calendars?.change(new Random(seed, `calendar ${action.draw}`));
      return;
    case 'step':
      parts.wall.set(action.aheadMs);
      return;
    case 'suspend':
      // Calls to the store rest as well.
      for (const stall of stalls) if (stall.to > machine.now) stall.to += action.forMs;
      parts.wall.suspend(action.forMs);
      return;
    case 'pause':
      void parts.pauses.pause(action.forMs);
      return;
    case 'client':
      parts.clients.act(action.which, action.change);
  }
}

function bodyOf(action: Extract<Action, { kind: 'create' }>, parts: Parts): ScheduleInput {
  const { planned, index } = action;
  const { machine, long, profile } = parts;
  const { TARGET } = workload;
  if (long) return longBodyOf(TARGET, action, long, machine.now);
  if (isQuiet(profile)) return quietBody(TARGET, index, machine.now);
  const bodies = planned ? workload.plannedWorkload : workload.mixedWorkload;
  return bodies(TARGET, index + 1, machine.now)[index]!;
}

function editIn({ machine, long, profile }: Parts, random: Random): SchedulePatch | null {
  if (long) return longEditOf(random, machine.now, long);
  return workload.editOf(random, machine.now, isQuiet(profile) ? QUIET_INTERVALS : undefined);
}

function nameOf({ node }: { node?: string }): string {
  return node === undefined ? '' : ` of ${node}`;
}
