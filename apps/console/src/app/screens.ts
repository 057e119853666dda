// The routes of all screens. A screen is one folder of `screens`; its code is loaded when it is opened.
import { route as cases } from '../screens/cases/route';
import { route as home } from '../screens/home/route';
import { route as identity } from '../screens/identity/route';
import { route as people } from '../screens/people/route';
import { route as plan } from '../screens/plan/route';
import { route as signIn } from '../screens/sign-in/route';
import { route as start } from '../screens/start/route';
import { route as tenants } from '../screens/tenants/route';

export const openRoutes = [signIn] as const;
/** Screens that concern no tenant. */
export const signedInRoutes = [start, tenants] as const;
export const tenantRoutes = [home, people, identity, cases, plan] as const;
