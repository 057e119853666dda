import { operatorPolicy } from '../audit.js';
import { auditQuery, auditVerificationQuery, tenantAuditQuery } from './audit-requests.js';
import * as shown from './audit-resources.js';
import { actions, auditors, installation, tenant, wholeInstallation } from './route.js';

const verification = {
  description:
    'Recomputes hashes and keyed hashes of up to 5000 entries. At the end of the chain, compares it with its head, with the chain of the installation, and with `known`.',
  query: auditVerificationQuery,
};

/** Operators' routes for the audit log. */
export const auditRoutes = actions({
  listAllAudit: installation.get('/audit', 'List audit entries of all tenants, the newest first', shown.auditPage, {
    query: auditQuery,
    role: 'auditor',
  }),
  getInstallationAuditVerification: wholeInstallation.get(
    '/audit/verification',
    'Verify the chain of the installation',
    shown.auditVerification,
    { ...verification, role: 'auditor' },
  ),
  listAudit: auditors.get('/audit', 'List audit entries of a tenant', shown.auditPage, { query: tenantAuditQuery }),
  getAuditVerification: auditors.get(
    '/audit/verification',
    'Verify the audit chain of a tenant',
    shown.auditVerification,
    verification,
  ),
  getOperatorPolicy: tenant.get('/operator-policy', 'Get the settings for operators', operatorPolicy),
  replaceOperatorPolicy: tenant.put('/operator-policy', 'Replace the settings for operators', operatorPolicy, {
    body: operatorPolicy,
    fourEyes: true,
  }),
});
