import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './styles/colours.css';
import './styles/page.css';
import './styles/frame.css';
import './styles/facts.css';
import './styles/rows.css';
import './styles/phone.css';
import './styles/chart.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './app.tsx';
import { listenToKeys } from './keyboard/shortcuts.ts';
import { queries } from './queries.ts';
import { BASE } from './root.ts';
import { applyDensity } from './settings.ts';
import { theme } from './theme.ts';

/** The policy of the page lets only styles through that carry this. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
// The scroll lock beneath a dialog adds a style element, which needs the nonce.
setNonce(nonce);

applyDensity();
listenToKeys();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <Router base={BASE}>
          <Notifications position="bottom-right" limit={4} />
          <App />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
