# Builds the images of a release on base images pinned by digest:
#   VERSION=1.2.3 REVISION=$(git rev-parse HEAD) docker buildx bake --push --metadata-file images.json
# Each image carries an SBOM and full provenance as attestations; `docker buildx imagetools inspect IMAGE --format '{{json .SBOM}}'` shows them.
variable "REGISTRY" { default = "idsync" }
variable "VERSION" { default = "dev" }
variable "REVISION" { default = "unknown" }

group "default" { targets = ["image"] }

target "image" {
  name     = image
  matrix   = { image = ["gateway", "directory", "sync-worker", "webhook-dispatcher", "migrate", "cli"] }
  context  = "."
  target   = image
  tags     = ["${REGISTRY}/${image}:${VERSION}"]
  args     = { VERSION = VERSION, REVISION = REVISION }
  attest   = ["type=sbom", "type=provenance,mode=max"]
}
