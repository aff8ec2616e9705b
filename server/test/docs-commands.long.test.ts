import { pasteCommandsOf } from './docs/paste.ts';
import { COMMANDS } from './docs/shown.ts';

/** Each command of README and the docs that can run on a machine like this one, as a reader pastes it. */

pasteCommandsOf([...new Set(COMMANDS.map(({ page }) => page))]);
