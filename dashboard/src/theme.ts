import { Alert, Button, createTheme, type MantineColorsTuple, Notification } from '@mantine/core';

/** Step 6 has 5.9:1 on white and step 4 has 6:1 on the dark ground: text and buttons in both. */
const punctual: MantineColorsTuple = [
  '#eef4fd',
  '#d9e6f9',
  '#b0cbf2',
  '#84aeec',
  '#6ea3ee',
  '#3f7bd0',
  '#1f5fbf',
  '#1a52a8',
  '#154690',
  '#0d3a7a',
];

/** Step 6 has 5.5:1 on white. */
const red: MantineColorsTuple = [
  '#fdf0f0',
  '#f9dcdc',
  '#f1b5b5',
  '#ee9a9a',
  '#ff8787',
  '#d94848',
  '#c92a2a',
  '#b72525',
  '#a32020',
  '#8a1919',
];

/** From text to ground, as styles/colours.css has it. */
const dark: MantineColorsTuple = [
  '#e3e7eb',
  '#c6ccd3',
  '#aab3bd',
  '#858f9a',
  '#33383f',
  '#282c32',
  '#202429',
  '#1a1d21',
  '#131518',
  '#0d0f11',
];

export const theme = createTheme({
  colors: { punctual, red, dark },
  primaryColor: 'punctual',
  primaryShade: { light: 6, dark: 7 },
  defaultRadius: 'md',
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  // Four sizes of text and two of headings.
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.35', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  components: {
    // The colour of its border says enough; as a text it has too little contrast.
    Alert: Alert.extend({ styles: { title: { color: 'var(--mantine-color-text)' } } }),
    Button: Button.extend({ defaultProps: { size: 'sm' }, styles: { label: { fontWeight: 550 } } }),
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close this message' } },
    }),
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
});
