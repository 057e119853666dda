import { describe, expect, it } from '@jest/globals';
import type { ConsoleContext } from './context.js';

/** The screen of a person: decisions about records. */
export function peopleTests(console: ConsoleContext): void {
  describe('a person in the console', () => {
    it('merges another person after a preview, and reverts the merge from the history', async () => {
      const { page, open, reports } = await console.opened();
      const stays = await console.personNamed('Åkesson');
      // Neither has an account: a finding could be resolved while they are one person, and opened again.
      const goes = await console.personNamed('Carmen Ibáñez');
      await open(`/people/${stays}`);
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Merge…' }).click();
      await page.getByRole('searchbox', { name: 'The other person' }).fill('carmen');
      await page.getByRole('button', { name: /Carmen Ibáñez/ }).click();
      const preview = page.getByRole('region', { name: 'Preview of the merged person' });
      await preview.getByRole('cell', { name: 'Field Technician' }).first().waitFor();
      const merge = page.getByRole('button', { name: 'Merge', exact: true });
      expect(await merge.isDisabled()).toBe(true);
      await page.getByLabel('Reason').fill('one person with two contracts');
      await merge.click();
      await page.getByText('was merged into', { exact: false }).waitFor();
      expect(await identityIdOf(console, goes)).toBe(stays);

      await open(`/people/${stays}?view=history`);
      await page.getByRole('button', { name: 'Revert the merge…' }).click();
      await page.getByLabel('Reason').fill('they are two after all');
      await page.getByRole('button', { name: 'Revert', exact: true }).click();
      await page.getByText('The merge was reverted.').waitFor();
      await page.getByText('Reverted', { exact: true }).waitFor();
      expect(await identityIdOf(console, goes)).toBe(goes);
      expect(reports).toEqual([]);
    });

    it('splits chosen records off into a new person, and reverts the split', async () => {
      const { page, open, reports } = await console.opened();
      const person = await console.personNamed('Amara Okafor');
      await open(`/people/${person}`);
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Split…' }).click();
      await page.getByText('Choose the records that belong to another person.').waitFor();
      await page.getByRole('checkbox', { name: /Directory/ }).check();
      await page.getByText('1 record becomes a new person, 1 stays.').waitFor();
      await page.getByLabel('Reason').fill('the account is of somebody else');
      await page.getByRole('button', { name: 'Split', exact: true }).click();
      await page.getByText('was split', { exact: false }).waitFor();
      expect(await accountsOf(console, person)).toBe(0);

      await open(`/people/${person}?view=history`);
      await page.getByRole('button', { name: 'Revert the split…' }).click();
      await page.getByLabel('Reason').fill('it is hers');
      await page.getByRole('button', { name: 'Revert', exact: true }).click();
      await page.getByText('The split was reverted.').waitFor();
      expect(await accountsOf(console, person)).toBe(1);
      expect(reports).toEqual([]);
    });

    it('compares two moments that are chosen with sliders', async () => {
      const { page, open } = await console.opened();
      await open(`/people/${await console.personNamed('linh')}`);
      await page.getByRole('slider', { name: 'Time' }).focus();
      await page.keyboard.press('Home');
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByRole('region', { name: 'Changed until now' }).waitFor();
      await page.getByRole('slider', { name: 'Compared with' }).focus();
      await page.keyboard.press('ArrowLeft');
      await page.getByRole('region', { name: 'Changed between the two moments' }).waitFor();
      expect(new URL(page.url()).searchParams.get('and')).toMatch(/^20\d\d-/);
    });
  });
}

interface ShownIdentity {
  id: string;
  accounts: unknown[];
}

const identityOf = (console: ConsoleContext, id: string) =>
  console.idsync.operator<ShownIdentity>('GET', `/tenants/${console.tenant}/identities/${id}`);

const identityIdOf = async (console: ConsoleContext, id: string) => (await identityOf(console, id)).id;

const accountsOf = async (console: ConsoleContext, id: string) => (await identityOf(console, id)).accounts.length;
