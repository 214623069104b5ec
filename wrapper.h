/*
 * The OpenSM headers that the plugin needs. osm_config.h comes first: the layout of the structures
 * in the other headers depends on its macros (ENABLE_OSM_PERF_MGR, HAVE_LIBPTHREAD, ..).
 */
#include <opensm/osm_config.h>
#include <opensm/osm_version.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_event_plugin.h>
#include <opensm/osm_log.h>
#include <opensm/osm_mcast_tbl.h>
#include <opensm/osm_mcm_port.h>
#include <opensm/osm_multicast.h>
#include <opensm/osm_node.h>
#include <opensm/osm_port.h>
#include <opensm/osm_subnet.h>
#include <opensm/osm_switch.h>
