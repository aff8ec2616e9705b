/** After `npm ci`: builds the dashboard, where what builds it was installed. With `--omit=dev` it was not. */
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (existsSync(new URL('../node_modules/vite', import.meta.url))) {
  execSync('npm run build', { stdio: 'inherit' });
} else {
  process.stdout.write('The dashboard is not built: its build tools are not installed.\n');
}
