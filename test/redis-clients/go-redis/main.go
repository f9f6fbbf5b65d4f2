// Pipelines of go-redis, of which TxPipeline sends MULTI: go run . PORT
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/redis/go-redis/v9"
)

func check(what string, isSo bool, found any) {
	if isSo {
		fmt.Printf("ok: %s\n", what)
	} else {
		fmt.Printf("FAILS: %s: %v\n", what, found)
	}
}

func main() {
	ctx := context.Background()
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + os.Args[1]})
	defer client.Close()
	if info, isKnown := debug.ReadBuildInfo(); isKnown {
		for _, module := range info.Deps {
			if module.Path == "github.com/redis/go-redis/v9" {
				fmt.Println("go-redis", module.Version)
			}
		}
	}
	client.FlushAll(ctx)

	replies, err := client.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		for i := 0; i < 100; i++ {
			pipe.ZAdd(ctx, "k", redis.Z{Score: float64(i), Member: fmt.Sprintf("m%d", i)})
		}
		return nil
	})
	check("a transactional pipeline", err == nil && len(replies) == 100 && client.ZCard(ctx, "k").Val() == 100, err)

	_, err = client.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.ZAdd(ctx, "k", redis.Z{Score: 1, Member: "refused"})
		pipe.Set(ctx, "k", "v", 0)
		return nil
	})
	missing := client.ZScore(ctx, "k", "refused").Err() == redis.Nil
	check("a refused pipeline writes nothing", err != nil && missing, err)

	replies, err = client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.ZAdd(ctx, "k", redis.Z{Score: 1, Member: "plain"})
		pipe.ZScore(ctx, "k", "plain")
		return nil
	})
	check("a pipeline without MULTI", err == nil && len(replies) == 2, err)

	err = client.Watch(ctx, func(tx *redis.Tx) error {
		client.ZAdd(ctx, "k", redis.Z{Score: 1, Member: "between"})
		_, err := tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.ZAdd(ctx, "k", redis.Z{Score: 1, Member: "lost"})
			return nil
		})
		return err
	}, "k")
	check("WATCH sees a change", err == redis.TxFailedErr && client.ZScore(ctx, "k", "lost").Err() == redis.Nil, err)

	time.AfterFunc(100*time.Millisecond, func() {
		client.ZAdd(ctx, "queue", redis.Z{Score: 1, Member: "job"})
	})
	popped, err := client.BZPopMin(ctx, 5*time.Second, "queue").Result()
	check("a client waits for an entry", err == nil && popped.Member == "job", err)
}
