import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** The server sends what is compressed here: it never compresses while it fires. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    closeBundle() {
      const folder = join(import.meta.dirname, 'dist/assets');
      for (const file of readdirSync(folder).filter(name => /\.(js|css|svg)$/.test(name))) {
        const path = join(folder, file);
        const bytes = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(bytes));
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

/**
 * A browser paints nothing before the style sheets of the head: what index.html draws comes before them. They
 * come before the root, because styles that the page makes there stand above them.
 */
function drawnFirst(): Plugin {
  return {
    name: 'drawn-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const sheets = html.match(/<link rel="stylesheet"[^>]*>/g) ?? [];
        const rest = sheets.reduce((left, sheet) => left.replace(sheet, ''), html);
        return rest.replace('<div id="root">', `${sheets.join('')}<div id="root">`);
      },
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  // Addresses are relative: a proxy may serve the page below a path (src/root.ts).
  base: './',
  plugins: [react(), drawnFirst(), compressed()],
  // The client's sources, as they are.
  resolve: { conditions: ['punctual-source', ...defaultClientConditions] },
  build: {
    target: 'es2022',
    // Nothing inline: the policy of the page forbids it (server/src/api/routes/dashboard.ts).
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The largest is loaded once and kept by the browser; pages are parts of their own.
    chunkSizeWarningLimit: 1_000,
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:8080', '/timezones': 'http://127.0.0.1:8080' } },
});
