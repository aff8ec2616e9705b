export function endWithStarter(end: () => void): void;
