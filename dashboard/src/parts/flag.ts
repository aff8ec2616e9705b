import { useSyncExternalStore } from 'react';

/** One value that many parts of the page look at, and that is set from outside of them. */
export interface Flag<Value> {
  get(): Value;
  set(value: Value): void;
  subscribe(listener: () => void): () => void;
}

export function flagOf<Value>(initial: Value): Flag<Value> {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set(value) {
      if (value === current) return;
      current = value;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useFlag<Value>(flag: Flag<Value>): Value {
  return useSyncExternalStore(flag.subscribe, flag.get);
}
