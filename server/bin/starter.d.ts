export function endWithStarter(end: () => unknown): void;
