import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where the built dashboard is: in the package beside this file, in a checkout where `npm ci` builds it. */
export const DASHBOARD = ['dashboard', '../../dashboard/dist']
  .map(folder => join(import.meta.dirname, folder))
  .find(folder => existsSync(folder));
