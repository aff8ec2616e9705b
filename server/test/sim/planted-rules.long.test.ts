import { MUTANTS } from '../mutants/list.ts';
import { patchOf } from '../mutants/patch-of.ts';
import { findPlanted } from '../support/sim/find-planted.ts';
import { PLANTED_IN_DOMAIN } from './planted-in-domain.ts';
import { PLANTED_IN_STORE, PLAYED_MUTANTS } from './planted-in-store.ts';

const mutants = PLAYED_MUTANTS.map(({ name, rules }) => {
  const mutant = MUTANTS.find(each => each.name === name)!;
  return { name, rules, patches: [patchOf(mutant)] };
});

findPlanted('bugs of the store', [...PLANTED_IN_STORE, ...mutants]);
findPlanted('bugs of decisions', PLANTED_IN_DOMAIN);
