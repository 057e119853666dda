// The routes of all screens. A screen is one folder of `screens`; its code is loaded when it is opened.

import { route as access } from '../screens/access/route';
import { accountRoute, route as accounts } from '../screens/accounts/route';
import { route as audit } from '../screens/audit/route';
import { route as cases } from '../screens/cases/route';
import { eventRoute, route as events } from '../screens/events/route';
import { route as findings } from '../screens/findings/route';
import { route as home } from '../screens/home/route';
import { route as identity } from '../screens/identity/route';
import { machineRoute, route as machines } from '../screens/machines/route';
import { route as people } from '../screens/people/route';
import { route as plan } from '../screens/plan/route';
import { route as rules } from '../screens/rules/route';
import { runRoute, route as runs } from '../screens/runs/route';
import { route as signIn } from '../screens/sign-in/route';
import { route as signedIn } from '../screens/signed-in/route';
import { route as sourceSetup } from '../screens/source-setup/route';
import { sourceRoute, route as sources } from '../screens/sources/route';
import { route as start } from '../screens/start/route';
import { route as system } from '../screens/system/route';
import { route as settings } from '../screens/tenant-settings/route';
import { route as tenants } from '../screens/tenants/route';
import {
  deliveryRoute,
  newWebhookRoute,
  webhookRoute,
  webhookSettingsRoute,
  route as webhooks,
} from '../screens/webhooks/route';

export const openRoutes = [signIn, signedIn] as const;
/** Screens that concern no tenant. */
export const signedInRoutes = [start, tenants] as const;
export const tenantRoutes = [
  home,
  people,
  identity,
  cases,
  plan,
  accounts,
  accountRoute,
  machines,
  machineRoute,
  findings,
  rules,
  sources,
  sourceRoute,
  sourceSetup,
  runs,
  runRoute,
  webhooks,
  newWebhookRoute,
  webhookRoute,
  webhookSettingsRoute,
  deliveryRoute,
  events,
  eventRoute,
  access,
  settings,
  audit,
  system,
] as const;
