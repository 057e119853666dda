import { describe, expect, it } from '@jest/globals';
import type { ConsoleContext } from './context.js';

interface Account {
  id: string;
  identifier: string;
  person_id?: string;
}

/** The screen of an account. */
export function accountTests(console: ConsoleContext): void {
  const accounts = async (query: string): Promise<Account[]> => {
    const path = `/tenants/${console.tenant}/accounts?${query}`;
    return (await console.idsync.operator<{ data: Account[] }>('GET', path)).data;
  };

  describe('an account in the console', () => {
    it('shows its person with the evidence, its finding, its values and its events', async () => {
      const [account] = await accounts('q=viktor');
      const { page, open, settled, reports } = await console.opened();
      await open('/accounts?q=viktor');
      await page.getByRole('link', { name: account?.identifier, exact: true }).click();
      await page.waitForURL(`**/accounts/${account?.id}`);
      await settled();
      await page.getByRole('region', { name: 'Findings' }).getByText('Leaver with account').waitFor();
      await page.getByRole('region', { name: 'Values' }).getByText('user_principal_name').waitFor();
      // It was created before the person that it was linked to.
      await page.getByRole('link', { name: 'account.linked' }).first().waitFor();
      const person = page.getByRole('region', { name: 'Person' });
      await person.getByText('is the same.', { exact: false }).waitFor();
      await person.getByRole('link', { name: 'Viktor Sørensen' }).click();
      await page.waitForURL(`**/people/${account?.person_id}`);
      expect(reports).toEqual([]);
    });

    it('is opened from the records of its person, and from its finding', async () => {
      const [account] = await accounts('q=viktor');
      const { page, open, reports } = await console.opened();
      await open(`/people/${account?.person_id}?view=records`);
      await page.getByRole('link', { name: /^CN=Viktor/ }).click();
      await page.waitForURL(`**/accounts/${account?.id}`);
      await page.getByRole('region', { name: 'Findings' }).getByRole('link', { name: 'Leaver with account' }).click();
      await page
        .getByRole('table', { name: 'Findings' })
        .getByRole('link', { name: /Viktor/ })
        .click();
      await page.waitForURL(`**/accounts/${account?.id}`);
      expect(reports).toEqual([]);
    });

    it('says that it belongs to no person, and shows its events', async () => {
      const [account] = await accounts('matched=false');
      const visit = await console.opened();
      await visit.open(`/accounts/${account?.id}`);
      await visit.page.getByText('This account belongs to no person').waitFor();
      await visit.page.getByRole('link', { name: 'account.created' }).waitFor();
      expect(await visit.violations()).toEqual([]);
      expect(visit.reports).toEqual([]);
    });

    it('says that an account does not exist, and leads to the accounts', async () => {
      const { page, open } = await console.opened();
      await open('/accounts/acc_00000000000000000000000000');
      await page.getByRole('heading', { name: 'There is no such account' }).waitFor();
      await page.getByRole('link', { name: 'All accounts' }).click();
      await page.getByRole('heading', { name: 'Accounts' }).waitFor();
    });
  });
}
