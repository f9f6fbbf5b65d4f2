"""Uses the client that openapi-python-client has generated, and tells what it has seen."""

import datetime
import json
import sys

folder, address, token = sys.argv[1:]
sys.path.insert(0, folder)

from lapidary_api import AuthenticatedClient
from lapidary_api.api.orders import change_orders, count_orders, create_orders, delete_orders, list_orders
from lapidary_api.models import NewOrder, NewOrderStatus, OrderChanges, OrderChangesStatus
from lapidary_api.models import ListOrdersStatusItem
from lapidary_api.types import Unset

client = AuthenticatedClient(base_url=address, token=token)
listed = list_orders.sync(client=client, scope=["c1"], status=[ListOrdersStatusItem.DELIVERED], limit=100)
id = "made-by-python"
order = NewOrder(
    id=id,
    customer="client",
    status=NewOrderStatus.OPEN,
    country="DE",
    total=234567.8912,
    note="soon",
    ordered_at=datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc),
)
created = create_orders.sync(client=client, body=order)
shipped = OrderChanges(status=OrderChangesStatus.SHIPPED)
changed = change_orders.sync(id, client=client, body=shipped, if_match='"1"')
removed = change_orders.sync(id, client=client, body=OrderChanges(note=None))
late = change_orders.sync(id, client=client, body=OrderChanges(status=OrderChangesStatus.RETURNED), if_match='"1"')
counts = count_orders.sync(client=client, scope=["c1"])
refused = list_orders.sync(client=client, scope=["c1"], limit=1000)
delete_orders.sync(id, client=client)
seen = {
    "delivered": len(listed.items),
    "total": listed.page.total,
    "created": created.status,
    "changed": changed.status,
    "version": removed.version,
    "conflict": late.code,
    "refused": refused.code,
    "counted": counts.total,
    "digits": created.total,
    "noted": changed.note == "soon",
    "removed": isinstance(removed.note, Unset),
}
print(json.dumps(seen))
