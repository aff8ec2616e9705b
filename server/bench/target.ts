import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is called: an nginx that answers 200 where one is installed, else a server of our own. */
export interface Target {
  name: string;
  url: string;
  stop(): Promise<void>;
}

export async function startTarget(): Promise<Target> {
  const hasNginx = spawnSync('nginx', ['-v']).error === undefined;
  return hasNginx ? startNginx() : startOwn();
}

async function startNginx(): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-bench-'));
  const port = await freePort();
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr crit;
    events { worker_connections 2048; }
    http {
      access_log off; keepalive_requests 1000000000; keepalive_timeout 75s;
      client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
      uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
      server { listen 127.0.0.1:${port}; location / { return 200 'ok'; } }
    }`,
  );
  const child = spawn('nginx', ['-e', 'stderr', '-c', join(folder, 'nginx.conf')]);
  return {
    name: 'nginx',
    url: await answering(`http://127.0.0.1:${port}/`),
    async stop() {
      await ended(child);
      rmSync(folder, { recursive: true });
    },
  };
}

async function startOwn(): Promise<Target> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'own-target.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${line.toString().trim()}/`;
  return { name: "the benchmark's own", url, stop: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** @returns the url, once it answers */
export async function answering(url: string): Promise<string> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const isUp = await fetch(url).then(
      response => response.ok,
      () => false,
    );
    if (isUp) return url;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error(`${url} does not answer`);
}
