/**
 * `Punctual-Control`: what a target says about its schedule with its answer. The text is read at the edge
 * (outbound/control-header.ts); here its members are judged.
 */

/** The members that were obeyed. */
export interface Control {
  /** A failure is final. */
  noRetry?: true;
  /** Nothing fires for so long, counted from the answer: 1 to 31,536,000. */
  pauseSeconds?: number;
  /** The schedule is disabled. */
  disable?: true;
  /** One more run comes after so long: 1 to 86,400. */
  againSeconds?: number;
}

/** The members of an answer that are obeyed, and the fault of the others. */
export interface ControlReading {
  control?: Control;
  /** One sentence. */
  controlFault?: string;
}

const MOST_PAUSE_SECONDS = 31_536_000;
export const MOST_AGAIN_SECONDS = 86_400;

/** Of a text that is no dictionary of RFC 9651, or too long. */
export const UNREADABLE: ControlReading = {
  controlFault:
    'Punctual-Control was ignored: it must be a dictionary of RFC 9651, in 1,000 characters at most.',
};

/**
 * `disable` beats `pause`, and `pause` beats `again`. A member that is out of bounds is ignored and noted; one that is
 * not known is ignored, because a newer service may know it.
 *
 * @param members of the dictionary, without their parameters
 */
export function readControl(members: ReadonlyMap<string, unknown>): ControlReading {
  const faults: string[] = [];
  const flag = (name: string) => isSet(members.get(name), name, faults);
  const span = (name: string, most: number) => seconds(members.get(name), name, most, faults);
  const noRetry = flag('no-retry');
  const disable = flag('disable');
  const pauseSeconds = span('pause', MOST_PAUSE_SECONDS);
  const againSeconds = span('again', MOST_AGAIN_SECONDS);
  const control: Control = { ...(noRetry && { noRetry }) };
  if (disable) control.disable = true;
  else if (pauseSeconds !== undefined) control.pauseSeconds = pauseSeconds;
  else if (againSeconds !== undefined) control.againSeconds = againSeconds;
  return {
    ...(Object.keys(control).length > 0 && { control }),
    ...(faults.length > 0 && { controlFault: `Punctual-Control: ${faults.join(', and ')}.` }),
  };
}

function isSet(value: unknown, name: string, faults: string[]): true | undefined {
  if (value === true) return true;
  if (value !== undefined && value !== false) faults.push(`${name} takes no value`);
  return undefined;
}

function seconds(value: unknown, name: string, most: number, faults: string[]): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most) {
    return value as number;
  }
  faults.push(`${name} must be whole seconds from 1 to ${most.toLocaleString('en')}`);
  return undefined;
}
