import { Button, Grid, Group, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type Problem, PunctualApiError } from '@punctual/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  type ComponentType,
  type FormEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import { Link, useLocation } from 'wouter';
import { Asked, Card, Failed, Page } from '../parts/page.tsx';
import { capital, type NamedResource, type ResourceKind } from './named-resource.ts';

/** The page of one resource: its form, as soon as the stored one is there. */
export function NamedPage<Stored extends NamedResource>({
  kind,
  name,
  find,
  form: Form,
}: {
  kind: ResourceKind;
  /** Null makes a new one. */
  name: string | null;
  find: (name: string) => Promise<Stored>;
  form: ComponentType<{ stored: Stored | null }>;
}) {
  const found = useQuery({
    queryKey: [kind, name],
    queryFn: () => find(name!),
    enabled: name !== null,
    // Fields do not change under the hands.
    refetchOnWindowFocus: false,
  });
  if (name === null) return <Form stored={null} />;
  if (found.data === undefined) {
    const up = { href: `/${kind}s`, name: `${capital(kind)}s` };
    return (
      <Page name={capital(kind)} up={up}>
        <Asked query={found} up={up}>
          {() => null}
        </Asked>
      </Page>
    );
  }
  return <Form key={found.data.updatedAt ?? found.data.createdAt} stored={found.data} />;
}

interface FormProps<Stored extends NamedResource, Draft> {
  kind: ResourceKind;
  stored: Stored | null;
  begin: () => Draft;
  problemsOf: (draft: Draft) => Problem[];
  /** A refusal of the service at the fields that it names; empty where it names none. */
  refusedAt?: (sentence: string) => Problem[];
  put: (draft: Draft) => Promise<Stored>;
  onStored: (stored: Stored) => void;
}

/** A form that tells mistakes once it was sent, and goes to the first one. */
export function useNamedForm<Stored extends NamedResource, Draft>({
  kind,
  stored,
  begin,
  problemsOf,
  refusedAt = () => [],
  put,
  onStored,
}: FormProps<Stored, Draft>) {
  const [draft, setDraft] = useState(begin);
  const [sendings, setSendings] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const [, go] = useLocation();
  const save = useMutation({
    mutationFn: put,
    onSuccess: anew => {
      onStored(anew);
      const message = `The ${kind} was ${stored === null ? 'made' : 'saved'}.`;
      notifications.show({ message, color: 'green' });
      go(`/${kind}s/${anew.name}`);
    },
  });
  const own = problemsOf(draft);
  const refused = save.error instanceof PunctualApiError ? refusedAt(save.error.message) : [];
  const problems = sendings === 0 ? [] : [...own, ...refused];
  // biome-ignore lint/correctness/useExhaustiveDependencies: it goes there after a sending and a refusal, and not while somebody types
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [sendings, save.error]);
  return {
    form,
    draft,
    isNew: stored === null,
    isSaving: save.isPending,
    /** A refusal that no field shows. */
    refusal: refused.length === 0 ? save.error : null,
    errorOf: (where: string) => problems.find(each => each.where === where)?.sentence,
    set: (change: Partial<Draft>) => {
      // A refusal is of what was sent, and no more of what stands there now.
      save.reset();
      setDraft({ ...draft, ...change });
    },
    submit: (event: FormEvent) => {
      event.preventDefault();
      setSendings(count => count + 1);
      if (own.length === 0) save.mutate(draft);
    },
  };
}

/** The form of one resource, with what is known of it beside. */
export function NamedForm({
  kind,
  form: { form, isNew, isSaving, refusal, submit },
  fields,
  children,
}: {
  kind: ResourceKind;
  form: Pick<
    ReturnType<typeof useNamedForm<NamedResource, unknown>>,
    'form' | 'isNew' | 'isSaving' | 'refusal' | 'submit'
  >;
  fields: ReactNode;
  /** Stands beside the form. */
  children: ReactNode;
}) {
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <form ref={form} onSubmit={submit} noValidate>
          <Stack gap="md">
            <Card>{fields}</Card>
            {refusal && <Failed error={refusal} />}
            <Group justify="flex-end">
              <Button variant="default" component={Link} href={`/${kind}s`}>
                Cancel
              </Button>
              <Button type="submit" loading={isSaving}>
                {isNew ? `Make ${kind}` : `Save ${kind}`}
              </Button>
            </Group>
          </Stack>
        </form>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>{children}</Grid.Col>
    </Grid>
  );
}
