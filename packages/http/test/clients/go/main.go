// Uses the client that oapi-codegen has generated, and tells what it has seen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"client/api"

	"github.com/oapi-codegen/nullable"
)

func main() {
	address, token := os.Args[1], os.Args[2]
	ctx := context.Background()
	client, err := api.NewClientWithResponses(address, api.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+token)
			return nil
		}))
	if err != nil {
		log.Fatal(err)
	}

	scope := []string{"c1"}
	listed, err := client.ListOrdersWithResponse(ctx, &api.ListOrdersParams{
		Scope: &scope, Status: &[]api.ListOrdersParamsStatus{api.ListOrdersParamsStatusDELIVERED}, Limit: pointer(100),
	})
	answered(listed.JSON200 != nil, listed.Body, err)

	id := "made-by-go"
	created, err := client.CreateOrdersWithResponse(ctx, nil, api.NewOrder{
		Id: &id, Customer: "client", Status: api.NewOrderStatusOPEN, Country: "DE", Total: 234567.8912,
		Note: pointer("soon"), OrderedAt: pointer(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
	})
	answered(created.JSON201 != nil, created.Body, err)

	first := &api.ChangeOrdersParams{IfMatch: pointer(`"1"`)}
	changed, err := client.ChangeOrdersWithResponse(ctx, id, first, api.OrderChanges{
		Status: pointer(api.OrderChangesStatusSHIPPED),
	})
	answered(changed.JSON200 != nil, changed.Body, err)
	removed, err := client.ChangeOrdersWithResponse(ctx, id, nil, api.OrderChanges{
		Note: nullable.NewNullNullable[string](),
	})
	answered(removed.JSON200 != nil, removed.Body, err)
	late, err := client.ChangeOrdersWithResponse(ctx, id, first, api.OrderChanges{
		Status: pointer(api.OrderChangesStatusRETURNED),
	})
	answered(late.ApplicationproblemJSON412 != nil, late.Body, err)
	counts, err := client.CountOrdersWithResponse(ctx, &api.CountOrdersParams{Scope: &scope})
	answered(counts.JSON200 != nil, counts.Body, err)
	refused, err := client.ListOrdersWithResponse(ctx, &api.ListOrdersParams{Scope: &scope, Limit: pointer(1000)})
	answered(refused.ApplicationproblemJSON400 != nil, refused.Body, err)
	_, err = client.DeleteOrdersWithResponse(ctx, id, nil)
	answered(true, nil, err)

	seen, err := json.Marshal(map[string]any{
		"delivered": len(listed.JSON200.Items),
		"total":     listed.JSON200.Page.Total,
		"created":   created.JSON201.Status,
		"changed":   changed.JSON200.Status,
		"version":   removed.JSON200.Version,
		"conflict":  late.ApplicationproblemJSON412.Code,
		"refused":   refused.ApplicationproblemJSON400.Code,
		"counted":   counts.JSON200.Total,
		"digits":    created.JSON201.Total,
		"noted":     changed.JSON200.Note != nil && *changed.JSON200.Note == "soon",
		"removed":   removed.JSON200.Note == nil,
	})
	answered(true, nil, err)
	fmt.Println(string(seen))
}

// answered ends the program with what came in the place of the answer that was expected.
func answered(isExpected bool, body []byte, err error) {
	if err != nil {
		log.Fatal(err)
	}
	if !isExpected {
		log.Fatalf("another answer than expected: %s", body)
	}
}

func pointer[T any](value T) *T {
	return &value
}
