import { pasteCommandsOf } from './support/docs/paste.ts';
import { COMMANDS } from './support/docs/shown.ts';

/** Each command of README and the docs that can run on a machine like this one, as a reader pastes it. */

pasteCommandsOf([...new Set(COMMANDS.map(({ page }) => page))]);
